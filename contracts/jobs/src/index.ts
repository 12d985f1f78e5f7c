export { drawJob, type DrawJob } from './draw.ts';
export { inspectJob, type InspectJob } from './inspect.ts';
export { MalformedJob, UnknownJobVersion } from './job.ts';
export {
  controlMessages,
  controlSubject,
  counterSubject,
  laneJobs,
  lanes,
  laneSubject,
  messageId,
  type ControlKind,
  type ControlMessages,
  type Lane,
  type LaneJobs,
} from './lanes.ts';
export { keysChanged, type KeysChanged } from './keysChanged.ts';
export {
  COMPONENTS,
  counterStreamName,
  inboxPrefix,
  permissionsText,
  streamName,
  userPermissions,
  type Component,
  type UserPermissions,
} from './permissions.ts';
export { runJob, type RunJob } from './run.ts';
export { runStopped, type RunStopped } from './runStopped.ts';
