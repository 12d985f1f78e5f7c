import { isDeepStrictEqual } from 'node:util';
import type { ExamMode, Rubric } from '@evaluation/rest-contract/schemas';
import { labelKey, type Paper, type PaperQuestion, type PaperSection } from '@evaluation/rules';
import { editMaterial, ofClient } from './paper/material.ts';
import { asSent, FIELDS, isSameField, SCHEME } from './questions/questionFields.ts';
import type { StoredQuestion } from './questions/readQuestions.ts';
import type { StoredForm } from './examForm.ts';

/** Changes that a checked paper makes to the stored paper. */
export interface PaperPlan {
  /** All sections in their order; null if they do not change. `order` is null for derived sections. */
  sections: { name: string; order: number | null }[] | null;
  questions: PlannedQuestion[];
  removed: string[];
  /** True if questions are added, removed or in another order. */
  isRearranged: boolean;
  /** True if a field changes that is fixed once the exam is open. */
  changesScheme: boolean;
}

export interface PlannedQuestion {
  /** Null for a new question. */
  stored: StoredQuestion | null;
  placed: PaperQuestion;
  section: string;
  isChanged: boolean;
  /** New material of a stored question; null if it does not change. */
  material: { rubric: Rubric | null; model_answer: string | null } | null;
}

/** @param wanted.ids of the questions of the paper, in order; null for new ones */
export const planPaper = (
  stored: StoredForm,
  { mode, paper, ids }: { mode: ExamMode; paper: Paper; ids: readonly (string | null)[] },
): PaperPlan => {
  const known = new Map(stored.questions.map((question) => [question.question.id, question]));
  const questions = paper.questions.map((placed, index): PlannedQuestion => {
    const one = known.get(ids[index] ?? '') ?? null;
    const section = paper.sections[placed.section]?.name ?? '';
    if (one === null) return { stored: null, placed, section, isChanged: true, material: null };
    const changed = FIELDS.filter((field) => !isSame(field, one, placed, section, mode));
    return { stored: one, placed, section, isChanged: changed.length > 0, material: materialOf(one, placed) };
  });
  const kept = questions.flatMap(({ stored: one }) => (one === null ? [] : [one.question.id]));
  const removed = stored.questions.map(({ question }) => question.id).filter((id) => !kept.includes(id));
  const before = stored.questions.map(({ question }) => question.id);
  const isRearranged = !isDeepStrictEqual(ids, before);
  return {
    sections: plannedSections(stored, paper.sections, questions),
    questions,
    removed,
    isRearranged,
    changesScheme:
      isRearranged ||
      questions.some(
        ({ stored: one, placed, section }) =>
          one !== null && SCHEME.some((field) => !isSame(field, one, placed, section, mode)),
      ),
  };
};

/** Returns true if the field of a stored question keeps its meaning. Negative marks are compared as they are stored. */
const isSame = (
  field: (typeof FIELDS)[number],
  { question }: StoredQuestion,
  { question: wanted, negativeMarks }: PaperQuestion,
  section: string,
  mode: ExamMode,
): boolean => {
  const before = asSent(question);
  if (field === 'negative_marks') return negativeMarks === (before.negative_marks ?? 0);
  const value = field === 'section' ? section : wanted[field];
  return isSameField(field, value, before[field], { mode, firstSection: null });
};

/** Compares with the client's own material only, so that a generated rubric stays. */
const materialOf = ({ question, material }: StoredQuestion, { question: wanted }: PaperQuestion) => {
  if (question.type !== 'long_answer') return null;
  const own = ofClient(material);
  const rubric = wanted.rubric ?? null;
  const modelAnswer = wanted.model_answer ?? null;
  return editMaterial(material, {
    ...(isDeepStrictEqual(rubric, own.rubric) ? {} : { rubric }),
    ...(modelAnswer === own.model_answer ? {} : { model_answer: modelAnswer }),
  });
};

/**
 * Declared sections replace the stored ones. Derived sections keep their stored order, and new ones follow.
 * @returns null if names, order and kind do not change
 */
const plannedSections = (
  { sections: stored }: StoredForm,
  wanted: readonly PaperSection[],
  questions: readonly PlannedQuestion[],
): PaperPlan['sections'] => {
  const isDeclared = wanted.some(({ order }) => order !== undefined);
  const wasDeclared = stored.some(({ isDeclared: was }) => was);
  const used = new Set(questions.map(({ section }) => labelKey(section)));
  const has = new Set(stored.map(({ name }) => labelKey(name)));
  const sections = isDeclared
    ? wanted.map(({ name, order }) => ({ name, order: order ?? null }))
    : [
        ...stored.filter(({ name }) => used.has(labelKey(name))),
        ...wanted.filter(({ name }) => !has.has(labelKey(name))),
      ].map(({ name }) => ({ name, order: null }));
  const names = sections.map(({ name }) => name);
  const isSameList =
    isDeclared === wasDeclared &&
    isDeepStrictEqual(
      names,
      stored.map(({ name }) => name),
    );
  return isSameList ? null : sections;
};
