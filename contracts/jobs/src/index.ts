export { inspectJob, type InspectJob } from './inspect.ts';
export { MalformedJob, UnknownJobVersion } from './job.ts';
export {
  controlMessages,
  controlSubject,
  laneJobs,
  lanes,
  laneSubject,
  messageId,
  type ControlKind,
  type ControlMessages,
  type Lane,
  type LaneJobs,
} from './lanes.ts';
export { runJob, type RunJob } from './run.ts';
export { runStopped, type RunStopped } from './runStopped.ts';
