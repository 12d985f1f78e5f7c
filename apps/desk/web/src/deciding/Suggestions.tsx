import { Stack, Switch, Table, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { calls } from '../app/calls.ts';
import { useText, type TextKey } from '../app/language.ts';
import { MoreButton } from '../app/MoreButton.tsx';
import type { Guide, Suggestion } from './answers.ts';
import { Answered } from '../app/Answered.tsx';
import { marks, percent } from './figures.ts';
import { MarkLink } from './MarkLink.tsx';
import { TableBox } from '../app/TableBox.tsx';

const PAGE = 20;

const BY: Readonly<Record<Suggestion['mark']['by'], TextKey>> = {
  grader: 'deciding.suggestions.byGrader',
  guide: 'deciding.suggestions.byGuide',
  teacher: 'deciding.suggestions.byTeacher',
};

/** What the guide of a question would give, beside the marks that count. */
export const Suggestions = ({
  examId,
  question,
}: {
  examId: string;
  question: Guide['questions'][number];
}) => {
  const t = useText();
  const [changedOnly, setChangedOnly] = useState(true);
  const suggestions = useInfiniteQuery(
    calls.guide.suggestions.infiniteQueryOptions(
      { exam_id: examId, question_id: question.question_id, limit: PAGE, changed_only: changedOnly },
      { getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined },
    ),
  );
  return (
    <Stack>
      <Title order={3} size="h4">
        {t('deciding.suggestions.title')}
      </Title>
      <Switch
        label={t('deciding.suggestions.changedOnly')}
        checked={changedOnly}
        onChange={(event) => setChangedOnly(event.currentTarget.checked)}
      />
      <Answered query={suggestions}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          return (
            <>
              {rows.length === 0 ? (
                <Text>{t(suggestions.hasNextPage ? 'app.noneYet' : 'deciding.suggestions.none')}</Text>
              ) : (
                <TableBox
                  caption={t('deciding.suggestions.caption', { label: question.label })}
                  minWidth={700}
                  columns={[
                    t('deciding.suggestions.copy'),
                    t('deciding.suggestions.now'),
                    t('deciding.suggestions.suggested'),
                    t('deciding.suggestions.agreement'),
                    t('deciding.suggestions.nearest'),
                  ]}
                >
                  {rows.map((row) => (
                    <Row
                      key={row.submission_id}
                      row={row}
                      examId={examId}
                      questionId={question.question_id}
                    />
                  ))}
                </TableBox>
              )}
              <MoreButton list={suggestions} />
            </>
          );
        }}
      </Answered>
    </Stack>
  );
};

const Row = ({ row, examId, questionId }: { row: Suggestion; examId: string; questionId: string }) => {
  const t = useText();
  const { suggestion, mark, max } = row;
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <MarkLink examId={examId} submissionId={row.submission_id} questionId={questionId}>
          {row.submission_id.slice(-8)}
        </MarkLink>
      </Table.Th>
      <Table.Td>
        {t('deciding.suggestions.mark', { mark: marks(mark.awarded), max: marks(max), by: t(BY[mark.by]) })}
      </Table.Td>
      <Table.Td>
        {suggestion === null
          ? '–'
          : t('deciding.suggestions.withSpread', {
              mark: marks(suggestion.awarded),
              spread: marks(suggestion.spread),
            })}
      </Table.Td>
      <Table.Td>{percent(suggestion?.agreement)}</Table.Td>
      <Table.Td>
        {suggestion?.nearest.map((example) => (
          <Text key={example.submission_id} size="sm" lineClamp={2}>
            {t('deciding.suggestions.example', { mark: marks(example.awarded), answer: example.answer })}
          </Text>
        ))}
      </Table.Td>
    </Table.Tr>
  );
};
