import type { GradingErrorCode } from '@evaluation/rest-contract/grading-failures';
import { languageNow, t, type TextKey } from '../../app/language.ts';

const TEXTS: Readonly<Record<GradingErrorCode, TextKey>> = {
  copy_unreadable: 'exams.gradingError.copyUnreadable',
  language_not_supported: 'exams.gradingError.languageNotSupported',
  timed_out: 'exams.gradingError.timedOut',
  grading_failed: 'exams.gradingError.gradingFailed',
  model_unavailable: 'exams.gradingError.modelUnavailable',
};

const isKnown = (code: string): code is GradingErrorCode => Object.hasOwn(TEXTS, code);

/**
 * Why the grading of a copy failed, in the language of the page. Core's own text is English and says more; it is used
 * in English. A code that this release does not know has the text of a failed grading in other languages.
 */
export const textOfGradingError = ({ code, message }: { code: string; message: string }): string =>
  languageNow() === 'en' ? message : t(isKnown(code) ? TEXTS[code] : TEXTS.grading_failed);
