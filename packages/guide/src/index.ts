export { chooseNext, MOST_CANDIDATES, type Candidate } from './choose.ts';
export { GUIDE_CONSTANTS, MODEL_GUIDE_CONSTANTS, MOST_EXAMPLES, type GuideConstants } from './constants.ts';
export {
  fitGuide,
  restoreGuide,
  restoreSteps,
  type FittedGuide,
  type GuideExample,
  type GuideModel,
} from './fit.ts';
export { GUIDE_AUDIT, GUIDE_UNSURE, guidedMark, type MarkAndFlags } from './guidedMark.ts';
export { identicalGroups, type Sameness } from './groups.ts';
export { nearestExamples, type Neighbour } from './nearest.ts';
export { LEAST_EXAMPLES, lowerBoundOf, passing, type Passing } from './passing.ts';
export { leaveOneOut, markStepOf, predict, type MarkScale, type Prediction } from './predict.ts';
export { MOST_SHOWN, selectExamples } from './select.ts';
export {
  AUDITED_SHARE,
  isDrawnForAudit,
  modelOfVersion,
  versionSha256,
  type ExampleOfVersion,
} from './version.ts';
