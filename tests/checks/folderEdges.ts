/**
 * The edge that an import makes between two entries (files or folders) of the same folder: `src/a/x.ts` importing
 * `src/b/y.ts` makes `src/a` → `src/b`. Null if a file imports itself, or the import leaves `src` of the workspace.
 */
export const folderEdge = (src: string, from: string, to: string): [from: string, to: string] | null => {
  if (!from.startsWith(`${src}/`) || !to.startsWith(`${src}/`)) return null;
  let folder = src;
  for (;;) {
    const [start, end] = [entryOf(folder, from), entryOf(folder, to)];
    if (start !== end) return [start, end];
    if (start === from) return null;
    folder = start;
  }
};

/** The entry of `folder` that contains the file, or is the file. */
const entryOf = (folder: string, file: string): string => {
  const [name] = file.slice(folder.length + 1).split('/');
  return `${folder}/${name}`;
};

/** Whether a cycle contains a folder. Cycles of files alone are already found among the imports of files. */
export const hasFolder = (cycle: readonly string[]): boolean => cycle.some((entry) => !entry.endsWith('.ts'));
