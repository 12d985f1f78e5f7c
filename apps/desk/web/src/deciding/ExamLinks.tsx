import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText, type TextKey } from '../app/language.ts';

const PAGES = [
  ['', 'deciding.links.exam'],
  ['/mark', 'deciding.links.mark'],
  ['/guide', 'deciding.links.guide'],
  ['/statistics', 'deciding.links.statistics'],
  ['/finalize', 'deciding.links.finalize'],
  ['/return', 'deciding.links.return'],
] as const satisfies readonly (readonly [string, TextKey])[];

export const ExamLinks = ({ examId, here }: { examId: string; here: (typeof PAGES)[number][0] }) => {
  const t = useText();
  return (
    <Group component="nav" aria-label={t('deciding.links')} gap="lg" mb="md">
      {PAGES.map(([path, label]) => (
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
