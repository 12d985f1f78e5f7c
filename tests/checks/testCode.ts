const TEST = /\.test\.ts$|^(?:apps|contracts|packages)\/[^/]+\/test\/|^(?:tests|tools)\//;
const SOURCE = /^(?:apps|contracts|packages)\/[^/]+\/src\/.*\.ts$/;

/**
 * Finds files in `src` that no production code uses. Such a file belongs into the `test` folder of its workspace, or is
 * dead.
 * @param imports files that each file imports
 * @param roots files that are started or exported: production code begins there
 */
export const unusedInProduction = (
  files: readonly string[],
  imports: ReadonlyMap<string, ReadonlySet<string>>,
  roots: readonly string[],
): string[] => {
  const used = new Set(roots);
  for (const file of used) for (const imported of imports.get(file) ?? []) used.add(imported);
  return files.filter(
    (file) => SOURCE.test(file) && !file.endsWith('.d.ts') && !TEST.test(file) && !used.has(file),
  );
};
