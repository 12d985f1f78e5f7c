/** The lanes that runs wait for and are graded in. */
export const RUN_LANES = ['copy', 'typed'] as const;
export type RunLane = (typeof RUN_LANES)[number];
