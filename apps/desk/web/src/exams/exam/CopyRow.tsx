import { Button, Group, Table, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { useStaff } from '../../app/session.ts';
import { MarkLink } from '../../deciding/MarkLink.tsx';
import type { CopyOfCandidate, ExamOverview } from '../types.ts';
import { textOfGradingError } from './textOfGradingError.ts';

type Copy = NonNullable<CopyOfCandidate['submission']>;

const IS_OVER = new Set(['failed', 'cancelled', 'partially_graded']);
const IS_MARKED = new Set(['graded', 'partially_graded']);

export const CopyRow = ({ exam, copy }: { exam: ExamOverview; copy: CopyOfCandidate }) => {
  const { candidate, submission } = copy;
  const t = useText();
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {candidate.name ?? candidate.external_id}
        {candidate.name === null ? null : (
          <Text size="xs" c="dimmed">
            {candidate.external_id}
          </Text>
        )}
      </Table.Th>
      <Table.Td>{candidate.roll_number ?? ''}</Table.Td>
      <Table.Td>
        {submission === null ? <Text c="dimmed">{t('exams.noCopy')}</Text> : <CopyStatus copy={submission} />}
      </Table.Td>
      {exam.mode === 'handwritten' ? <Table.Td>{submission?.pages ?? ''}</Table.Td> : null}
      <Table.Td>
        {submission === null ? null : (
          <CopyActions examId={exam.id} copy={submission} who={candidate.name ?? candidate.external_id} />
        )}
      </Table.Td>
    </Table.Tr>
  );
};

const CopyStatus = ({ copy }: { copy: Copy }) => {
  const t = useText();
  const notes = [
    copy.needs_review ? t('exams.needsReview') : null,
    copy.approved ? t('exams.approved') : null,
    copy.finalized ? t('exams.status.finalized') : null,
  ].filter((note) => note !== null);
  const isRunning = copy.status === 'reading' || copy.status === 'grading' || copy.status === 'processing';
  return (
    <>
      <Text size="sm">
        {[t(`exams.copy.${copy.status}`), ...notes].join(' · ')}
        {isRunning && copy.questions_total > 0 ? ` ${copy.questions_done}/${copy.questions_total}` : ''}
      </Text>
      {copy.error === null ? null : (
        <Text size="sm" c="var(--mantine-color-error)">
          {textOfGradingError(copy.error)}
        </Text>
      )}
    </>
  );
};

const CopyActions = ({ examId, copy, who }: { examId: string; copy: Copy; who: string }) => {
  const t = useText();
  const staff = useStaff();
  const queryClient = useQueryClient();
  const again = useMutation(
    calls.submissions.reEvaluate.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: calls.desk.exams.pathKey() }),
    }),
  );
  return (
    <Group gap="sm" wrap="nowrap">
      {IS_MARKED.has(copy.status) ? (
        <MarkLink examId={examId} submissionId={copy.id} label={t('exams.markOf', { who })}>
          {t('exams.mark')}
        </MarkLink>
      ) : null}
      {staff.role === 'admin' && IS_OVER.has(copy.status) && !copy.finalized ? (
        <Button
          size="compact-sm"
          variant="default"
          loading={again.isPending}
          aria-label={t('exams.gradeAgainOf', { who })}
          onClick={() => again.mutate({ submission_id: copy.id, body: {} })}
        >
          {t('exams.gradeAgain')}
        </Button>
      ) : null}
    </Group>
  );
};
