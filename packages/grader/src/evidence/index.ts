/**
 * Pure functions that compute the results of a run: in the worker, which records them, and again in a replay
 * (docs/evidence.md).
 */
export { unreadInk } from './unreadInk.ts';
export { answerTo, type FoundAnswer, type ReadCopy, type ReadPage } from './answerTo.ts';
export { BUNDLE_FORMAT, BundleRefused, EvidenceBundle, LARGEST_BUNDLE_BYTES, readBundle } from './bundle.ts';
export type { Outcome } from './bundle.ts';
export { copyReviewReasons, reasonsOfZero } from './copyReviewReasons.ts';
export { Calls, factsOf, FoundAnswers, ReadPages } from './parts.ts';
export type { AlignmentPart, PagesPart, QuestionPart, RubricPart } from './parts.ts';
export { RELEASE } from './release.ts';
export { replay, type Replayed } from './replay.ts';
export { alignRequest, judgeRequest, makeRubricRequest, paperTexts } from './requests.ts';
export { failedQuestion, gradedQuestion, withoutJudging, type QuestionOutcome } from './questionOutcome.ts';
