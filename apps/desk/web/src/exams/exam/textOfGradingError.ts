import { languageNow, t, type TextKey } from '../../app/language.ts';

const TEXTS: Readonly<Record<string, TextKey>> = {
  copy_unreadable: 'exams.gradingError.copyUnreadable',
  language_not_supported: 'exams.gradingError.languageNotSupported',
  timed_out: 'exams.gradingError.timedOut',
  grading_failed: 'exams.gradingError.gradingFailed',
  model_unavailable: 'exams.gradingError.modelUnavailable',
};

/**
 * Why the grading of a copy failed, in the language of the page. Core's own text is English and says more; it is used
 * in English and for codes that this release does not know.
 */
export const textOfGradingError = ({ code, message }: { code: string; message: string }): string => {
  const key = TEXTS[code];
  return languageNow() === 'en' || key === undefined ? message : t(key);
};
