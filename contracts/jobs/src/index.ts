export { drawJob, type DrawJob } from './draw.ts';
export { inspectJob, type InspectJob } from './inspect.ts';
export { MalformedJob, UnknownJobVersion } from './job.ts';
export { controlMessages, controlSubject, type ControlKind, type ControlMessages } from './control.ts';
export {
  counterSubject,
  forEachRunLane,
  forEachRunLaneInOrder,
  JOB_LANES,
  laneJobs,
  LANES,
  laneSubject,
  messageId,
  RUN_LANES,
  runLanes,
  type JobLane,
  type Lane,
  type LaneJobs,
  type RunLane,
} from './lanes.ts';
export {
  COMPONENTS,
  counterStreamName,
  inboxPrefix,
  permissionsText,
  streamName,
  type Component,
} from './permissions.ts';
export { MOST_CHANGED } from './resultsChanged.ts';
export { runJob, type RunJob } from './run.ts';
export { runStopped, type RunStopped } from './runStopped.ts';
