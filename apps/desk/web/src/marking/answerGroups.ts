import { skipToken, useQuery } from '@tanstack/react-query';
import { queryClient } from '../app/calls.ts';
import type { AnswerGroup } from './types.ts';

/*
 * Answers that say the same as the answer at a place. Core names them when it recommends what to mark next; they are
 * kept with the answers of other calls.
 */

interface Place {
  submission: string;
  question: string;
}

const keyOf = ({ submission, question }: Place) => ['answer-group', question, submission];

export const keepGroup = (place: Place, group: AnswerGroup): void => {
  queryClient.setQueryData(keyOf(place), group);
};

/** @returns variants of the answer, its own first; [] if it is alone, or not known to be in a group */
export const useGroup = (place: Place): AnswerGroup => {
  const { data } = useQuery<AnswerGroup>({ queryKey: keyOf(place), queryFn: skipToken, staleTime: Infinity });
  return data ?? [];
};
