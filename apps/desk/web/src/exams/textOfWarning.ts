import { languageNow, t, type TextKey } from '../app/language.ts';

/** A warning of the API about an exam. Its message is English and begins with the question that it is about. */
export interface Warning {
  code: string;
  message: string;
}

const TEXTS: Readonly<Record<string, TextKey>> = {
  auto_rubric: 'exams.warning.autoRubric',
  negative_marks_ignored: 'exams.warning.negativeMarksIgnored',
  rubric_marks_not_half_step: 'exams.warning.marksNotHalfStep',
};

/** The label of the question that the warning names; undefined if it names none of `labels`. */
export const questionOf = ({ message }: Warning, labels: readonly string[]): string | undefined =>
  // The longest label, because a label may begin with another one and a space.
  labels
    .filter((label) => message.startsWith(`Question ${label}:`) || message.startsWith(`Question ${label} `))
    .toSorted((a, b) => b.length - a.length)[0];

/** The warning in the language of the page. Core's own text is used for codes that this release does not know. */
export const textOfWarning = (warning: Warning, labels: readonly string[]): string => {
  const key = TEXTS[warning.code];
  const label = questionOf(warning, labels);
  return languageNow() === 'en' || key === undefined || label === undefined
    ? warning.message
    : t(key, { label });
};
