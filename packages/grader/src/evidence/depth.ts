/**
 * Whether a JSON value is nested in more than `levels` arrays and objects. Not recursive: no depth overflows the stack.
 */
export const isDeeperThan = (levels: number, value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
};
