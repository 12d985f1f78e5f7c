/** Whether values of JSON stand in more than so many arrays and objects. Never recurses, so no depth breaks it. */
export const isDeeperThan = (levels: number, value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
};
