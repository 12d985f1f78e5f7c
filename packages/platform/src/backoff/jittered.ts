/**
 * Returns a random time between half of `ms` and `ms`. Jitter keeps replicas that start or fail together from retrying
 * at the same moment.
 */
export const jittered = (ms: number): number => ms * (0.5 + Math.random() / 2);
