import type { ShownAnnotation } from '@evaluation/rules/marked-page';
import type { Annotation, Screen } from './types.ts';

type Box = Annotation['box'];

interface Place {
  page: number;
  box: Box;
}

/**
 * The place of the answer on its first page, or of one of its criteria. Without a place of its own, that of its mark;
 * null if the copy has no places.
 */
export const answerPlace = (
  screen: Screen,
  annotations: ReadonlyMap<number, readonly ShownAnnotation[]>,
  questionId: string,
  criterion: number | null,
): Place | null => {
  const question = screen.questions.find(({ result }) => result.question_id === questionId);
  const own = question?.result.annotations ?? [];
  const ofCriterion = criterion === null ? undefined : own[criterion + 1];
  if (ofCriterion !== undefined) return { page: ofCriterion.page, box: ofCriterion.box };
  const page = question?.blocks[0]?.page;
  if (page !== undefined) {
    const boxes = question?.blocks.flatMap((block) => (block.page === page ? [block.box] : [])) ?? [];
    return { page, box: around(boxes) };
  }
  const mark = [...annotations.values()].flat().find((each) => each.questionId === questionId);
  return mark === undefined
    ? null
    : { page: mark.page, box: { ...mark.box, height: Math.max(mark.box.height, 0.03) } };
};

const around = (boxes: readonly Box[]): Box => {
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))];
  const right = Math.max(...boxes.map(({ x, width }) => x + width));
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
  return { x: left, y: top, width: right - left, height: bottom - top };
};

/** The page on which the answer begins. */
export const pageOfAnswer = (screen: Screen, questionId: string | undefined): number | undefined => {
  const question =
    screen.questions.find(({ result }) => result.question_id === questionId) ?? screen.questions[0];
  return question?.blocks[0]?.page ?? question?.result.annotations?.[0]?.page;
};
