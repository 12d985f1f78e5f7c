import { Button, Checkbox, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { notify } from '../app/notices.ts';
import { useStaff } from '../app/session.ts';
import { keepGroup, useGroup } from './answerGroups.ts';
import { keyOfMark, useMarking } from './seenMarks.ts';
import type { AnswerGroup } from './types.ts';

/** Most answers of one call. */
const MOST_OF_A_CALL = 50;

/**
 * Ids for each call. Core marks the answers that say the same as the first one of a call, so each wording has calls of
 * its own: an answer that was read anew meanwhile and says something else keeps its mark.
 */
const callsFor = (wordings: AnswerGroup): string[][] =>
  wordings.flatMap(({ submission_ids: [first = '', ...others] }) => {
    const calls: string[][] = [[first, ...others.slice(0, MOST_OF_A_CALL - 1)]];
    for (let at = MOST_OF_A_CALL - 1; at < others.length; at += MOST_OF_A_CALL - 1)
      calls.push([first, ...others.slice(at, at + MOST_OF_A_CALL - 1)]);
    return calls;
  });

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
  onMarked,
}: {
  place: { exam_id: string; submission_id: string; question_id: string };
  /** Label of the question. */
  question: string;
  /** The mark in the form; null if the question does not allow it. */
  allowedMark: () => number | null;
  comment: string;
  isClosed: boolean;
  /** What is in the form counts now. */
  onMarked: () => void;
}) => {
  const t = useText();
  const staff = useStaff();
  const queryClient = useQueryClient();
  const { done, seenByGroup } = useMarking();
  const { exam_id, submission_id, question_id } = place;
  const at = { submission: submission_id, question: question_id };
  const variants = useGroup(at);
  const [chosen, setChosen] = useState<readonly number[]>([0]);
  const wordings = variants.filter((_, index) => chosen.includes(index));
  const count = wordings.reduce((sum, { submission_ids }) => sum + submission_ids.length, 0);
  const markGroup = useMutation({
    mutationFn: async (awarded: number): Promise<number> => {
      const inverses: Parameters<typeof done.push>[0]['inverses'] = [];
      try {
        for (const submission_ids of callsFor(wordings)) {
          const { marked, edited_at } = await client.marking.markGroup.mutate({
            exam_id,
            question_id,
            sameness: 'text',
            submission_ids,
            body: { reviewer: staff.id, awarded, reason: comment.trim() === '' ? null : comment.trim() },
          });
          for (const [index, id] of marked.entries()) {
            const marks = { awarded, edited_at: edited_at[index] ?? null, approved: false };
            const answer = { submission_id: id, question_id };
            seenByGroup.add(keyOfMark(answer, marks));
            inverses.push({ place: answer, change: { kind: 'withdraw' }, seen: marks });
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
    onSuccess: (marked) => {
      keepGroup(at, []);
      onMarked();
      notify(t('marking.groupMarked', { count: marked }));
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
        {t('marking.group', { count: variants.flatMap(({ submission_ids }) => submission_ids).length })}
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
        disabled={isClosed || count < 2}
        onClick={mark}
      >
        {t('marking.markGroup', { count })}
      </Button>
    </details>
  );
};
