export * from './grader.ts';
export { createGrader } from './createGrader.ts';
export { DEFAULT_TABLE, NO_TABLE, readOff, readTable } from './confidenceTable.ts';
export { imitatesPrompt, POSSIBLE_INJECTION } from './injection/detect.ts';
export { withInjectionFlag } from './injection/flagInjection.ts';
export { createEndpointPause } from './endpointPause.ts';
export { noticeOf } from './noticeOf.ts';
export { blankReading, PAGE_NOT_READ, unreadPage } from './readPages/readPages.ts';
export { lanePreflight } from './preflight/lanes.ts';
export { UNAVAILABLE, type UnavailableReason } from './preflight/reasons.ts';
export type {
  PreflightCheck,
  PreflightReason,
  PreflightReport,
  PreflightRequest,
  PreflightStep,
} from './preflightReport.ts';
export { askedToAlign, askedToJudge } from './promptHashes.ts';
export { readTextOnly } from './readTextOnly.ts';
export { hadPhraseRules, RULES_VERSION } from './rulesVersion.ts';
export { checkRules, resettleAlignment, resettleJudgement, resettleRubric } from './resettle.ts';
export { MalformedOutput } from './strictSchema.ts';
export { addUsage } from './usage.ts';
