import { Button, Checkbox, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { notify } from '../app/notices.ts';
import { useStaff } from '../app/session.ts';
import { keepGroup, useGroup } from './answerGroups.ts';
import { useMarking } from './seenMarks.ts';

/** Most answers of one call. */
const MOST_OF_A_CALL = 50;

/**
 * One mark for all answers that say the same. The wordings are listed, and those that differ from the answer on the
 * screen are left out until the examiner chooses them. Core leaves out answers that a teacher has decided on. One Undo
 * takes all marks back.
 */
export const GroupMark = ({
  place,
  question,
  allowedMark,
  comment,
  isClosed,
}: {
  place: { exam_id: string; submission_id: string; question_id: string };
  /** Label of the question. */
  question: string;
  /** The mark in the form; null if the question does not allow it. */
  allowedMark: () => number | null;
  comment: string;
  isClosed: boolean;
}) => {
  const t = useText();
  const staff = useStaff();
  const queryClient = useQueryClient();
  const { done, own } = useMarking();
  const { exam_id, submission_id, question_id } = place;
  const at = { submission: submission_id, question: question_id };
  const variants = useGroup(at);
  const [chosen, setChosen] = useState<readonly number[]>([0]);
  const ids = variants.flatMap((variant, index) => (chosen.includes(index) ? variant.submission_ids : []));
  const markGroup = useMutation({
    mutationFn: async (awarded: number): Promise<number> => {
      const inverses: (typeof done)[number]['inverses'] = [];
      try {
        for (let first = 0; first < ids.length; first += MOST_OF_A_CALL) {
          const { marked, edited_at } = await client.marking.markGroup.mutate({
            exam_id,
            question_id,
            sameness: 'content',
            // The first one says which answers are the same.
            submission_ids: [submission_id, ...ids.slice(first, first + MOST_OF_A_CALL - 1)],
            body: { reviewer: staff.id, awarded, reason: comment.trim() === '' ? null : comment.trim() },
          });
          for (const [index, id] of marked.entries()) {
            const mark = { awarded, edited_at: edited_at[index] ?? null, approved: false };
            if (mark.edited_at !== null) own.add(mark.edited_at);
            inverses.push({
              place: { submission_id: id, question_id },
              change: { kind: 'withdraw' },
              seen: mark,
            });
          }
        }
      } finally {
        if (inverses.length > 0) {
          const label = t('marking.group.done', { label: question, count: inverses.length });
          done.push({ place: { submission_id, question_id }, inverses, awarded, label });
        }
      }
      return inverses.length;
    },
    onSuccess: (count) => {
      keepGroup(at, []);
      notify(t('marking.groupMarked', { count }));
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
  if (variants.length === 0) return null;
  const mark = (): void => {
    const awarded = allowedMark();
    if (awarded !== null) markGroup.mutate(awarded);
  };
  return (
    <details open>
      <summary>
        {t('marking.group', { count: variants.flatMap((variant) => variant.submission_ids).length })}
      </summary>
      <ul className="marking-group" aria-label={t('marking.group.list')}>
        {variants.map(({ text, submission_ids }, index) => (
          <li key={text}>
            <Checkbox
              size="xs"
              disabled={index === 0}
              checked={chosen.includes(index)}
              onChange={() =>
                setChosen((before) =>
                  before.includes(index) ? before.filter((each) => each !== index) : [...before, index],
                )
              }
              label={
                <Text size="sm" dir="auto">
                  {text} ({submission_ids.length})
                </Text>
              }
            />
          </li>
        ))}
      </ul>
      <Button
        type="button"
        size="compact-sm"
        variant="light"
        loading={markGroup.isPending}
        disabled={isClosed || ids.length < 2}
        onClick={mark}
      >
        {t('marking.markGroup', { count: ids.length })}
      </Button>
    </details>
  );
};
