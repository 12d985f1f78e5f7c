import type { Screen } from './types.ts';

/** The page of the answer, or of the place of one of its criteria. */
export const pageOfAnswer = (
  screen: Screen,
  questionId: string | undefined,
  criterion: number | null = null,
): number | undefined => {
  const question =
    screen.questions.find(({ result }) => result.question_id === questionId) ?? screen.questions[0];
  const annotations = question?.result.annotations ?? [];
  const place = criterion === null ? undefined : annotations[criterion + 1];
  return place?.page ?? question?.blocks[0]?.page ?? annotations[0]?.page;
};
