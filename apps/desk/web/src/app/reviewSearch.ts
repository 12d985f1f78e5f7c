/** Filters of the review page, as they stand in addresses. */
export interface ReviewSearch {
  exam?: string;
  reason?: string;
  flagged?: true;
  /** Only the work that is shared out to this person, and what is shared with no person. */
  own?: true;
}

const textIn = (search: Record<string, unknown>, name: string): string | undefined => {
  const value = search[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export const reviewSearchIn = (search: Record<string, unknown>): ReviewSearch => {
  const [exam, reason] = [textIn(search, 'exam'), textIn(search, 'reason')];
  return {
    ...(exam === undefined ? {} : { exam }),
    ...(reason === undefined ? {} : { reason }),
    ...(search['flagged'] === true ? { flagged: true as const } : {}),
    ...(search['own'] === true ? { own: true as const } : {}),
  };
};

/** The call's filters. */
export const queueFilters = ({ exam, reason, flagged, own }: ReviewSearch) => ({
  ...(exam === undefined ? {} : { exam_id: exam }),
  ...(reason === undefined ? {} : { reason }),
  flagged: flagged === true,
  own_only: own === true,
});
