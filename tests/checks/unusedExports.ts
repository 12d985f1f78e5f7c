import type { Import } from './scan.ts';

const DECLARED =
  /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;

/** Names that a file exports, its own and those of other files. Names behind `export *` are left out. */
export const exportedNames = (source: string): string[] => [
  ...[...source.matchAll(DECLARED)].flatMap(([, name]) => name ?? []),
  ...[...source.matchAll(LISTED)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((entry) => entry.trim().split(/\s+/).at(-1) ?? '')
      .filter((name) => name !== ''),
  ),
];

/** Names that an import uses; `*` if the import lists none. */
export const importedNames = ({ names }: Import): readonly string[] =>
  names.length === 0 || names[0] === 'as' ? ['*'] : names;

/** @returns an offence for each name that a file exports and no other file imports */
export const unusedExports = (
  exported: ReadonlyMap<string, readonly string[]>,
  imported: ReadonlyMap<string, ReadonlySet<string>>,
): string[] =>
  [...exported].flatMap(([file, names]) => {
    const used = imported.get(file) ?? new Set();
    if (used.has('*')) return [];
    return names
      .filter((name) => !used.has(name))
      .map((name) => `${file} exports ${name}, which no other file imports`);
  });
