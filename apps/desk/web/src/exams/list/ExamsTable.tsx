import { Anchor, Badge, Group, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from '../../app/language.ts';
import { TableBox } from '../../app/TableBox.tsx';
import { showDay } from '../../app/times.ts';
import { ExamProgress } from '../exam/ExamProgress.tsx';
import type { ExamOverview } from '../types.ts';

export const SourceBadge = ({ source }: { source: ExamOverview['source'] }) => {
  const t = useText();
  return (
    <Badge variant="outline" tt="none">
      {t(`exams.source.${source}`)}
    </Badge>
  );
};

export const ExamsTable = ({ exams }: { exams: readonly ExamOverview[] }) => {
  const t = useText();
  return (
    <TableBox
      label={t('exams.title')}
      minWidth={700}
      columns={[
        t('exams.exam'),
        t('exams.status'),
        t('exams.candidates'),
        t('exams.progress'),
        t('exams.needsReview'),
      ]}
    >
      {exams.map((exam) => (
        <Table.Tr key={exam.id}>
          <Table.Td>
            <Anchor component={Link} to={`/exams/${exam.id}`} fw={600}>
              {exam.title}
            </Anchor>
            <Group gap="xs" mt={4}>
              <SourceBadge source={exam.source} />
              <Text size="sm" c="dimmed">
                {[exam.subject, showDay(exam.conducted_on)]
                  .filter((part) => part !== null && part !== '')
                  .join(' · ')}
              </Text>
            </Group>
          </Table.Td>
          <Table.Td>{t(`exams.status.${exam.status}`)}</Table.Td>
          <Table.Td>{exam.candidates}</Table.Td>
          <Table.Td w={240}>
            <ExamProgress exam={exam} />
          </Table.Td>
          <Table.Td>{exam.submissions.needs_review}</Table.Td>
        </Table.Tr>
      ))}
    </TableBox>
  );
};
