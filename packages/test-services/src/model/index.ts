export { asArray, asObject, asText, type Json } from './chatRequest.ts';
export { startModelServer } from './server.ts';
export type { ModelServer } from './server.ts';
export type { Behaviour, BehaviourRule, ModelCallRecord } from './behaviour.ts';
export type { JudgementTruth, PageTruth, Truth } from './truth.ts';
export * from './personas/index.ts';
export { BY_BATCH } from './batches.ts';
