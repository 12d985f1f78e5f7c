import type { DraftQuestion, ExamDraft } from './draft.ts';
import { isSameContent } from './sameContent.ts';

/*
 * Brings changes of another person into a form that is being edited. `base` is the stored exam that both have started
 * from. A field that only one of them has changed keeps that change. A field that both have changed keeps mine, and
 * `changed` names it.
 */

interface Merged {
  draft: ExamDraft;
  changed: ChangedPart[];
}

export type ChangedPart = ({ field: keyof ExamDraft } | { question: string }) & { isMineKept: boolean };

export const mergeDrafts = (base: ExamDraft, mine: ExamDraft, theirs: ExamDraft): Merged => {
  const changed: ChangedPart[] = [];
  const draft = { ...theirs };
  for (const field of fieldsOf(theirs)) {
    if (field === 'questions' || isSameContent(base[field], theirs[field])) continue;
    changed.push({ field, isMineKept: !isSameContent(base[field], mine[field]) });
  }
  const kept = fieldsOf(mine).filter(
    (field) => field !== 'questions' && !isSameContent(base[field], mine[field]),
  );
  Object.assign(draft, Object.fromEntries(kept.map((field) => [field, mine[field]])));
  const shared = theirs.questions.flatMap((question): DraftQuestion[] => {
    const before = base.questions.find(({ id }) => id === question.id);
    const own = mine.questions.find(({ id }) => id === question.id);
    if (before === undefined || !isSameContent(before, question))
      changed.push({
        question: question.label,
        isMineKept: before !== undefined && (own === undefined || !isSameContent(before, own)),
      });
    if (before === undefined) return [question];
    return own === undefined ? [] : [mergeQuestion(before, own, question)];
  });
  draft.questions = mergeOrders(base.questions, mine.questions, shared);
  for (const { id, label } of base.questions)
    if (theirs.questions.every((question) => question.id !== id))
      changed.push({ question: label, isMineKept: false });
  return { draft, changed };
};

const mergeQuestion = (before: DraftQuestion, mine: DraftQuestion, theirs: DraftQuestion): DraftQuestion => {
  const kept = fieldsOf(mine).filter((field) => !isSameContent(before[field], mine[field]));
  return {
    ...theirs,
    ...Object.fromEntries(kept.map((field) => [field, mine[field]])),
    key: mine.key,
  };
};

/**
 * My order if I have moved a stored question, else theirs.
 * @param shared the questions that stay, in the order of the other person, without my new ones
 */
const mergeOrders = (
  base: readonly DraftQuestion[],
  mine: readonly DraftQuestion[],
  shared: readonly DraftQuestion[],
): DraftQuestion[] => {
  const own = mine.flatMap((question) =>
    question.id === null ? [question] : shared.filter(({ id }) => id === question.id),
  );
  const idsOf = (questions: readonly DraftQuestion[]) =>
    questions.map(({ id }) => id).filter((id) => id !== null && own.some((question) => question.id === id));
  const hasMoved = !isSameContent(idsOf(base), idsOf(own));
  return hasMoved ? withMissing(own, shared) : withMissing(shared, own);
};

/** Puts the questions that only `others` has before the question that follows them there, or at the end. */
const withMissing = (lead: readonly DraftQuestion[], others: readonly DraftQuestion[]): DraftQuestion[] => {
  const result = [...lead];
  let at = result.length;
  for (const question of others.toReversed()) {
    const found = result.indexOf(question);
    if (found === -1) result.splice(at, 0, question);
    else at = found;
  }
  return result;
};

const fieldsOf = <T extends object>(value: T): (keyof T)[] => Object.keys(value) as (keyof T)[];
