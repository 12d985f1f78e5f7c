export { createBackoff, type Backoff } from './backoff.ts';
export { jittered } from './jittered.ts';
export { retryWhile } from './retryWhile.ts';
