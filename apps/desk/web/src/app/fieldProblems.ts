import { languageNow, t, type TextKey } from './language.ts';
import { textOfRejection } from './rejections.ts';

const TEXTS: Readonly<Record<string, TextKey>> = {
  required: 'app.problem.required',
  too_long: 'app.problem.tooLong',
  too_short: 'app.problem.tooShort',
  out_of_range: 'app.problem.outOfRange',
  invalid_step: 'app.problem.invalidStep',
  invalid_type: 'app.problem.invalidValue',
  invalid_value: 'app.problem.invalidValue',
  invalid_characters: 'app.problem.invalidCharacters',
  duplicate: 'app.problem.duplicate',
  not_allowed: 'app.problem.notAllowed',
  unknown_field: 'app.problem.notAllowed',
  unknown_section: 'app.problem.unknownSection',
  unknown_question: 'app.problem.unknownQuestion',
  unknown_option_label: 'app.problem.unknownOption',
  too_many_sections: 'app.problem.tooManySections',
  rubric_marks_mismatch: 'app.problem.rubricMarksMismatch',
  rubric_duplicate_criterion: 'app.problem.duplicate',
  rubric_guidance_has_marks: 'app.problem.guidanceHasMarks',
  feature_not_available: 'app.problem.notAvailable',
  language_not_supported: 'app.problem.notAvailable',
};

/**
 * What is wrong with a field, in the language of the page. Core's own text is English and says more, such as the sum of
 * the marks; it is used in English. Other languages have one general text for codes that this release does not know.
 */
const textOfProblem = ({ code, message }: { code: string; message: string }): string => {
  const limit = textOfLimit(message);
  if (limit !== null) return limit;
  if (languageNow() === 'en' && !OF_LIBRARY.test(message)) return message;
  return code === 'upload_rejected' ? textOfRejection(message) : t(TEXTS[code] ?? 'app.problem.invalidValue');
};

/** Texts of the schema library in core's answers, which are no sentences for people. */
const OF_LIBRARY = /^(Too (small|big)|Invalid|Expected|Unrecognized)\b/;
const LIMIT = /^Too (?:small|big): expected \w+ to (?:be|have) (>=|>|<=|<)(-?[\d.]+)( characters| items)?$/;

const textOfLimit = (message: string): string | null => {
  const [, sign, limit, unit] = LIMIT.exec(message) ?? [];
  if (limit === undefined) return null;
  const count = Number(limit);
  switch (sign) {
    case '>':
      return t('app.problem.moreThan', { limit });
    case '<':
      return t('app.problem.lessThan', { limit });
    default: {
      const isLeast = sign === '>=';
      if (unit === ' characters')
        return t(isLeast ? 'app.problem.leastCharacters' : 'app.problem.mostCharacters', { count });
      if (unit === ' items')
        return t(isLeast ? 'app.problem.leastItems' : 'app.problem.mostItems', { count });
      return t(isLeast ? 'app.problem.atLeast' : 'app.problem.atMost', { limit });
    }
  }
};

/**
 * Texts of the problems of a request by the path of the field, such as `questions[2].rubric.criteria[0].marks`.
 * @param details `details` of a failure of core
 */
export const problemsIn = (details: unknown): ReadonlyMap<string, string> => {
  const errors: unknown =
    typeof details === 'object' && details !== null ? Reflect.get(details, 'errors') : [];
  const problems = Array.isArray(errors) ? errors.filter(isFieldProblem) : [];
  const found = new Map<string, string>();
  for (const problem of problems) {
    const text = textOfProblem(problem);
    const before = found.get(problem.field);
    found.set(problem.field, before === undefined ? text : `${before} ${text}`);
  }
  return found;
};

const isFieldProblem = (value: unknown): value is { field: string; code: string; message: string } =>
  typeof value === 'object' &&
  value !== null &&
  ['field', 'code', 'message'].every((name) => typeof Reflect.get(value, name) === 'string');
