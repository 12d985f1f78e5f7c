import { Button, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { MoreButton } from '../../app/MoreButton.tsx';
import { TableBox } from '../../app/TableBox.tsx';

/** Candidates of an exam. One without a copy can be taken off the exam. */
export const CandidatesTable = ({ examId }: { examId: string }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const candidates = useInfiniteQuery(
    calls.desk.exams.markBook.infiniteQueryOptions(
      { exam_id: examId, marks: false },
      { getNextPageParam: (page) => page.next_cursor, initialCursor: undefined },
    ),
  );
  const remove = useMutation(
    calls.candidates.unregister.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: calls.desk.exams.pathKey() }),
    }),
  );
  const rows = candidates.data?.pages.flatMap((page) => page.data) ?? [];
  if (candidates.isSuccess && rows.length === 0) return <Text>{t('exams.noCandidates')}</Text>;
  return (
    <>
      <TableBox
        label={t('exams.candidates')}
        minWidth={600}
        columns={[
          t('exams.candidates.external_id'),
          t('exams.candidates.name'),
          t('exams.candidates.roll_number'),
          t('exams.candidates.section_or_class'),
          t('app.actions'),
        ]}
      >
        {rows.map(({ candidate, submission }) => (
          <Table.Tr key={candidate.id}>
            <Table.Th scope="row" fw={500}>
              {candidate.external_id}
            </Table.Th>
            <Table.Td>{candidate.name ?? ''}</Table.Td>
            <Table.Td>{candidate.roll_number ?? ''}</Table.Td>
            <Table.Td>{candidate.section_or_class ?? ''}</Table.Td>
            <Table.Td>
              {submission === null ? (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('exams.candidates.removeOf', { who: candidate.external_id })}
                  onClick={() => remove.mutate({ exam_id: examId, candidate_id: candidate.id })}
                >
                  {t('exams.form.remove')}
                </Button>
              ) : null}
            </Table.Td>
          </Table.Tr>
        ))}
      </TableBox>
      <MoreButton list={candidates} />
    </>
  );
};
