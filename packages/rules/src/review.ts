/** docs/api/results.md#fields: below this the AI's mark is one a teacher should look at. */
export const LOW_CONFIDENCE = 0.6;
