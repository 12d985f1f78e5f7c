import { failureIn } from '../../app/failures.ts';
import { problemsIn } from '../../app/fieldProblems.ts';
import { t } from '../../app/language.ts';
import type { ExamDraft } from './draft.ts';

/** Problems of a request by the path of the field, such as `questions[2].rubric.criteria[0].marks`. */
export type Problems = ReadonlyMap<string, string>;

export const NO_PROBLEMS: Problems = new Map();

/**
 * Problems of the form of an exam. A reference that another exam has is a problem of its field, and an empty number,
 * which is sent as 0, is a field that is missing.
 */
export const problemsInError = (error: unknown, sent: ExamDraft): Problems => {
  const failure = failureIn(error);
  if (failure?.code === 'exam_exists') return new Map([['external_ref', t('app.problem.externalRefTaken')]]);
  const required = t('app.problem.required');
  return new Map(
    [...problemsIn(failure?.details)].map(([field, text]) => [
      field,
      isEmptyNumber(field, sent) ? required : text,
    ]),
  );
};

const isEmptyNumber = (field: string, { questions }: ExamDraft): boolean => {
  const [, index, criterion] =
    /^questions\[(\d+)\]\.(?:max_marks|rubric\.criteria\[(\d+)\]\.marks)$/.exec(field) ?? [];
  const question = questions[Number(index)];
  return (criterion === undefined ? question?.maxMarks : question?.criteria[Number(criterion)]?.marks) === '';
};

/** True if a field or a part of it has a problem. */
export const hasProblem = (problems: Problems, path: string): boolean =>
  [...problems.keys()].some((field) => isAtOrBelow(field, path));

const isAtOrBelow = (field: string, path: string): boolean =>
  field === path || field.startsWith(`${path}[`) || field.startsWith(`${path}.`);

/** Problems of a field and of its parts, such as `answer[1]` of a form that shows the list as one text. */
export const problemBelow = (problems: Problems, path: string): string | undefined => {
  const found = [...problems].filter(([field]) => isAtOrBelow(field, path));
  return found.length === 0 ? undefined : [...new Set(found.map(([, text]) => text))].join(' ');
};

/** Fields of a question at which the form shows a problem. */
const SHOWN =
  /^(label|section|type|text|max_marks|negative_marks|answer|model_answer|options|correct_options|rubric)\b/;

/** Problems of a question at `path` itself, and of fields of it that the form does not show. */
export const problemsElsewhere = (problems: Problems, path: string): string | undefined => {
  const found = [...problems].filter(
    ([field]) =>
      field === path || (field.startsWith(`${path}.`) && !SHOWN.test(field.slice(path.length + 1))),
  );
  return found.length === 0 ? undefined : found.map(([, text]) => text).join(' ');
};
