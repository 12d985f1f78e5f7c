import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { calls } from '../app/calls.ts';
import { useStaff } from '../app/session.ts';
import { useText, type TextKey } from '../app/language.ts';

const PAGES = [
  ['', 'deciding.links.exam'],
  ['/share', 'deciding.links.share'],
  ['/mark', 'deciding.links.mark'],
  ['/guide', 'deciding.links.guide'],
  ['/statistics', 'deciding.links.statistics'],
  ['/finalize', 'deciding.links.finalize'],
  ['/return', 'deciding.links.return'],
] as const satisfies readonly (readonly [string, TextKey])[];

/** The name of the exam, and its pages in the order of the work. */
export const ExamLinks = ({ examId, here }: { examId: string; here: (typeof PAGES)[number][0] }) => {
  const t = useText();
  const { role } = useStaff();
  const { data: exam } = useQuery(calls.desk.exams.overview.queryOptions({ exam_id: examId }));
  return (
    <Group component="nav" aria-label={t('deciding.links')} gap="lg" mb="md">
      <Text fw={700}>{exam?.title ?? ''}</Text>
      {PAGES.filter(([path]) => role === 'admin' || path !== '/share').map(([path, label]) => (
        <Anchor
          key={path}
          component={Link}
          to={`/exams/${examId}${path}`}
          underline="always"
          aria-current={path === here ? 'page' : undefined}
          fw={path === here ? 700 : 400}
        >
          {t(label)}
        </Anchor>
      ))}
    </Group>
  );
};
