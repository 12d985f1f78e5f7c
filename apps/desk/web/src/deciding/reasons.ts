import { t, type TextKey } from '../app/language.ts';

/** Texts of the review reasons that this release knows. A newer core may send others. */
const TEXTS: Readonly<Record<string, TextKey>> = {
  low_confidence: 'deciding.reason.lowConfidence',
  failed: 'deciding.reason.failed',
  unassigned_writing: 'deciding.reason.unassignedWriting',
  unreadable_pages: 'deciding.reason.unreadablePages',
  reading_adjusted: 'deciding.reason.readingAdjusted',
  alignment_adjusted: 'deciding.reason.alignmentAdjusted',
  marks_adjusted: 'deciding.reason.marksAdjusted',
  possible_injection: 'deciding.reason.possibleInjection',
  baseline_grader: 'deciding.reason.baselineGrader',
  guide_audit: 'deciding.reason.guideAudit',
  guide_unsure: 'deciding.reason.guideUnsure',
  second_look_disagrees: 'deciding.reason.secondLookDisagrees',
  evidence_not_found: 'deciding.reason.evidenceNotFound',
  no_answer_found: 'deciding.reason.noAnswerFound',
  unclear_answer: 'deciding.reason.unclearAnswer',
  unclear_value: 'deciding.reason.unclearAnswer',
  answer_cut: 'deciding.reason.answerCut',
  no_rubric: 'deciding.reason.noRubric',
  pages_beyond_vision_limit: 'deciding.reason.pagesBeyondLimit',
};

/** Why something needs a teacher, in words. An unknown reason is shown as its name. */
export const reasonText = (reason: string): string => {
  const key = TEXTS[reason];
  return key === undefined ? reason.replaceAll('_', ' ') : t(key);
};
