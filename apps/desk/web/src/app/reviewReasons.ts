import { t, type TextKey } from './language.ts';

/** Texts of the review reasons of this release. A newer core may send others. */
const TEXTS: Readonly<Record<string, TextKey>> = {
  low_confidence: 'app.reason.lowConfidence',
  failed: 'app.reason.failed',
  flagged: 'app.reason.flagged',
  unassigned_writing: 'app.reason.unassignedWriting',
  unreadable_pages: 'app.reason.unreadablePages',
  reading_adjusted: 'app.reason.readingAdjusted',
  alignment_adjusted: 'app.reason.alignmentAdjusted',
  marks_adjusted: 'app.reason.marksAdjusted',
  possible_injection: 'app.reason.possibleInjection',
  baseline_grader: 'app.reason.baselineGrader',
  guide_audit: 'app.reason.guideAudit',
  guide_unsure: 'app.reason.guideUnsure',
  second_look_disagrees: 'app.reason.secondLookDisagrees',
  evidence_not_found: 'app.reason.evidenceNotFound',
  no_answer_found: 'app.reason.noAnswerFound',
  unclear_answer: 'app.reason.unclearAnswer',
  unclear_value: 'app.reason.unclearAnswer',
  unknown_option: 'app.reason.unknownOption',
  answer_cut: 'app.reason.answerCut',
  no_rubric: 'app.reason.noRubric',
  pages_beyond_vision_limit: 'app.reason.pagesBeyondLimit',
};

/** Why something needs a teacher, in words. */
export const reasonText = (reason: string): string => t(TEXTS[reason] ?? 'app.reason.other');
