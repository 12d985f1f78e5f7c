/** Below this confidence a teacher should look at the AI's mark (docs/api/results.md#fields). */
export const LOW_CONFIDENCE = 0.6;
