export { asArray, asObject, asText, type Json } from './chatRequest.ts';
export { startModelServer } from './server.ts';
export type { ModelServer } from './server.ts';
export type { Behaviour, ModelCallRecord } from './behaviour.ts';
export type { PageTruth, Truth } from './truth.ts';
export * from './personas/index.ts';
