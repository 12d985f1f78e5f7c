export { LaneUnavailable, openLanes } from './openLanes.ts';
export type { Broadcasts, Counters, Lanes, MessageReply } from './lanes.ts';
export type { ControlMessages, Lane, LaneJobs } from '@evaluation/jobs-contract';
export { messageId } from '@evaluation/jobs-contract';
