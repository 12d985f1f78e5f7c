export { LaneUnavailable, openLanes } from './openLanes.ts';
export type {
  Broadcasts,
  Counters,
  LaneProgress,
  Lanes,
  OpenLanesOptions,
  PublishResult,
  PullOptions,
  MessageReply,
} from './lanes.ts';
export type { ControlKind, ControlMessages, Lane, LaneJobs } from '@evaluation/jobs-contract';
export { messageId } from '@evaluation/jobs-contract';
