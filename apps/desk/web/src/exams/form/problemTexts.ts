import { languageNow, t, type TextKey } from '../../app/language.ts';

const TEXTS: Readonly<Record<string, TextKey>> = {
  required: 'exams.problem.required',
  too_long: 'exams.problem.tooLong',
  too_short: 'exams.problem.tooShort',
  out_of_range: 'exams.problem.outOfRange',
  invalid_step: 'exams.problem.invalidStep',
  invalid_type: 'exams.problem.invalidValue',
  invalid_value: 'exams.problem.invalidValue',
  invalid_characters: 'exams.problem.invalidCharacters',
  duplicate: 'exams.problem.duplicate',
  not_allowed: 'exams.problem.notAllowed',
  unknown_section: 'exams.problem.unknownSection',
  unknown_question: 'exams.problem.unknownQuestion',
  unknown_option_label: 'exams.problem.unknownOption',
  too_many_sections: 'exams.problem.tooManySections',
  rubric_marks_mismatch: 'exams.problem.rubricMarksMismatch',
  rubric_duplicate_criterion: 'exams.problem.duplicate',
  rubric_guidance_has_marks: 'exams.problem.guidanceHasMarks',
  feature_not_available: 'exams.problem.notAvailable',
  language_not_supported: 'exams.problem.notAvailable',
};

/**
 * What is wrong with a field, in the language of the page. Core's own text is English and says more, such as the sum of
 * the marks; it is used in English and for codes that this release does not know.
 */
export const textOfProblem = ({ code, message }: { code: string; message: string }): string => {
  const key = TEXTS[code];
  return languageNow() === 'en' || key === undefined ? message : t(key);
};
