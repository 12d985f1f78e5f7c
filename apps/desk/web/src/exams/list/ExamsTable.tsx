import { Anchor, Badge, Group, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from '../../app/language.ts';
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
    <Table.ScrollContainer minWidth={700} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table verticalSpacing="sm" aria-label={t('exams.title')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('exams.exam')}</Table.Th>
            <Table.Th scope="col">{t('exams.status')}</Table.Th>
            <Table.Th scope="col">{t('exams.candidates')}</Table.Th>
            <Table.Th scope="col" w={240}>
              {t('exams.progress')}
            </Table.Th>
            <Table.Th scope="col">{t('exams.needsReview')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {exams.map((exam) => (
            <Table.Tr key={exam.id}>
              <Table.Td>
                <Anchor component={Link} to={`/exams/${exam.id}`} fw={600}>
                  {exam.title}
                </Anchor>
                <Group gap="xs" mt={4}>
                  <SourceBadge source={exam.source} />
                  <Text size="sm" c="dimmed">
                    {[exam.subject, exam.conducted_on]
                      .filter((part) => part !== null && part !== '')
                      .join(' · ')}
                  </Text>
                </Group>
              </Table.Td>
              <Table.Td>{t(`exams.status.${exam.status}`)}</Table.Td>
              <Table.Td>{exam.candidates}</Table.Td>
              <Table.Td>
                <ExamProgress exam={exam} />
              </Table.Td>
              <Table.Td>{exam.submissions.needs_review}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
};
