import type { ExamDraft } from './draft.ts';
import type { Problems } from './problems.ts';
import { examBody } from './requests.ts';
import { isSameContent } from './sameContent.ts';

/**
 * Problems that may hold after a change of the form: those whose values are as the service has refused them. They
 * follow questions that are moved. A field with another wrong value has no problem until the next save.
 */
export const remainingProblems = (problems: Problems, before: ExamDraft, after: ExamDraft): Problems => {
  if (problems.size === 0 || before === after) return problems;
  const [old, now] = [before, after].map((draft) => examBody(draft, { open: false }));
  const remaining = [...problems].flatMap(([field, text]): [string, string][] => {
    const moved = pathAfter(field, before, after);
    if (moved === null) return [];
    const [values, valuesNow] = [valuesOf(old, field), valuesOf(now, moved)];
    return isSameContent(values, valuesNow) ? [[moved, text]] : [];
  });
  const isSame = remaining.length === problems.size && remaining.every(([field]) => problems.has(field));
  return isSame ? problems : new Map(remaining);
};

const QUESTION = /^questions\[(\d+)\]/;

/** The path of a field after the questions were moved; null if its question was removed. */
const pathAfter = (path: string, before: ExamDraft, after: ExamDraft): string | null => {
  const [, index] = QUESTION.exec(path) ?? [];
  if (index === undefined) return path;
  const key = before.questions[Number(index)]?.key;
  const at = after.questions.findIndex((question) => question.key === key);
  return at === -1 ? null : path.replace(QUESTION, `questions[${at}]`);
};

/** The values that can correct a problem: that of the field, and those that it is compared with. */
const valuesOf = (body: unknown, path: string): unknown[] => {
  const [question = ''] = QUESTION.exec(path) ?? [];
  const field = path.slice(question.length + 1);
  const others: readonly string[] = question === '' ? [] : (COMPARED[field] ?? []);
  return [
    valueAt(body, path.startsWith('sections') ? 'sections' : path),
    ...others.map((other) => valueAt(body, `${question}.${other}`)),
    ...(field === 'section' ? [valueAt(body, 'sections')] : []),
    ...(field === 'label' ? [labelsIn(valueAt(body, 'questions'))] : []),
  ];
};

const COMPARED: Readonly<Record<string, readonly string[]>> = {
  rubric: ['max_marks'],
  'rubric.criteria': ['max_marks'],
  options: ['correct_options'],
  correct_options: ['options'],
  negative_marks: ['max_marks'],
};

/** Without their order, which changes when a question is moved. */
const labelsIn = (questions: unknown): string[] =>
  Array.isArray(questions)
    ? questions.map((question) => String(valueAt(question, 'label'))).toSorted((a, b) => a.localeCompare(b))
    : [];

const valueAt = (body: unknown, path: string): unknown =>
  path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .reduce<unknown>(
      (value, part) => (typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined),
      body,
    );
