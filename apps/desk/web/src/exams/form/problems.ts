import { failureIn } from '../../app/failures.ts';
import { problemsIn } from '../../app/fieldProblems.ts';
import { t } from '../../app/language.ts';

/** Problems of a request by the path of the field, such as `questions[2].rubric.criteria[0].marks`. */
export type Problems = ReadonlyMap<string, string>;

export const NO_PROBLEMS: Problems = new Map();

/** Problems of the form of an exam. A reference that another exam has is a problem of its field. */
export const problemsInError = (error: unknown): Problems => {
  const failure = failureIn(error);
  return failure?.code === 'exam_exists'
    ? new Map([['external_ref', t('app.problem.externalRefTaken')]])
    : problemsIn(failure?.details);
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
