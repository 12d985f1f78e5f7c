/** Between half and all of `ms`, so that replicas that start or fail together do not come back in step. */
export const jittered = (ms: number): number => ms * (0.5 + Math.random() / 2);
