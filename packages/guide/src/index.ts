export { chooseNext } from './choose.ts';
export { EXACT_UP_TO, GUIDE_CONSTANTS, MODEL_GUIDE_CONSTANTS, GuideConstants } from './constants.ts';
export { fitGuide, restoreGuide, restoreSteps, type FittedGuide, type GuideExample } from './fit.ts';
export { guidedMark, type MarkAndFlags } from './guidedMark.ts';
export { identicalGroups, type Sameness } from './groups.ts';
export { nearestExamples } from './nearest.ts';
export { lowerBoundOf, passing } from './passing.ts';
export { leaveOneOut, predict, type Prediction } from './predict.ts';
export { scaleOf, type MarkScale } from './scale.ts';
export {
  AUDITED_SHARE,
  isDrawnForAudit,
  modelOfVersion,
  versionSha256,
  ExampleOfVersion,
} from './version.ts';
