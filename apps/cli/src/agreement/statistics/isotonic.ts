interface WeightedPoint {
  x: number;
  y: number;
  weight: number;
}

/**
 * The non-decreasing function with the least weighted squared error (pool adjacent violators).
 * @param points by rising x
 * @returns its value at each point, in order
 */
export const isotonic = (points: readonly WeightedPoint[]): number[] => {
  const blocks: { mean: number; weight: number; length: number }[] = [];
  for (const { y, weight } of points) {
    let block = { mean: y, weight, length: 1 };
    for (
      let before = blocks.at(-1);
      before !== undefined && before.mean >= block.mean;
      before = blocks.at(-1)
    ) {
      blocks.pop();
      const both = before.weight + block.weight;
      block = {
        mean: (before.mean * before.weight + block.mean * block.weight) / both,
        weight: both,
        length: before.length + block.length,
      };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ mean, length }) => Array.from({ length }, () => mean));
};
