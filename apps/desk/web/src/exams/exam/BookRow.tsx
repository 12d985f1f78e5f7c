import { Button, Group, Table, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { useStaff } from '../../app/session.ts';
import { MarkLink } from '../../deciding/MarkLink.tsx';
import type { CopyOfCandidate, ExamOverview, MarkBook } from '../types.ts';
import { textOfGradingError } from './textOfGradingError.ts';

type Copy = NonNullable<CopyOfCandidate['submission']>;

const IS_OVER = new Set(['failed', 'cancelled', 'partially_graded']);
const IS_MARKED = new Set(['graded', 'partially_graded']);

type Mark = NonNullable<Copy['marks'][number]>;
const SIGNS: Readonly<Record<NonNullable<Mark['sign']>, string>> = {
  flagged: '⚑',
  review: '!',
  open: '○',
  changed: '✎',
};

export const BookRow = ({
  exam,
  copy,
  questions,
}: {
  exam: ExamOverview;
  copy: CopyOfCandidate;
  questions: MarkBook['questions'];
}) => {
  const { candidate, submission } = copy;
  const t = useText();
  const who = candidate.name ?? candidate.external_id;
  const names = [
    ...new Set([candidate.roll_number, candidate.name === null ? null : candidate.external_id]),
  ].filter((part) => part !== null && part !== who);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {who}
        {names.length === 0 ? null : (
          <Text size="xs" c="dimmed">
            {names.join(' · ')}
          </Text>
        )}
      </Table.Th>
      {questions.map(({ question_id, label }, index) => {
        const mark = submission?.marks[index] ?? null;
        return (
          <Table.Td key={question_id} data-sign={mark?.sign ?? undefined} data-number="true">
            {submission === null || mark === null ? null : (
              <a
                data-mark
                href={`/exams/${exam.id}/mark?${new URLSearchParams({
                  order: 'copy',
                  submission: submission.id,
                  question: question_id,
                }).toString()}`}
                aria-label={[
                  t('exams.book.markOf', { who, label, awarded: mark.awarded ?? '–' }),
                  ...(mark.sign === null ? [] : [t(`exams.book.${mark.sign}`)]),
                ].join(', ')}
              >
                {mark.awarded ?? '–'}
                {mark.sign === null ? '' : ` ${SIGNS[mark.sign]}`}
              </a>
            )}
          </Table.Td>
        );
      })}
      <Table.Td data-number="true" fw={700}>
        {submission?.awarded == null ? '' : `${submission.awarded} / ${submission.max}`}
      </Table.Td>
      <Table.Td>
        {submission === null ? <Text c="dimmed">{t('exams.noCopy')}</Text> : <CopyStatus copy={submission} />}
      </Table.Td>
      {exam.mode === 'handwritten' ? <Table.Td>{submission?.pages ?? ''}</Table.Td> : null}
      <Table.Td className="no-print">
        {submission === null ? null : <CopyActions examId={exam.id} copy={submission} who={who} />}
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
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: calls.desk.exams.pathKey() });
  const again = useMutation(calls.submissions.reEvaluate.mutationOptions({ onSuccess }));
  const restore = useMutation(calls.regrade.restore.mutationOptions({ onSuccess }));
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
      {staff.role === 'admin' && copy.has_earlier_marks && !copy.finalized ? (
        <Button
          size="compact-sm"
          variant="default"
          loading={restore.isPending}
          aria-label={t('exams.restoreMarksOf', { who })}
          onClick={() => restore.mutate({ submission_id: copy.id })}
        >
          {t('exams.restoreMarks')}
        </Button>
      ) : null}
    </Group>
  );
};
