import { readFile, readdir } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { cyclesOf } from './cycles.ts';
import { folderEdge, hasFolder } from './folderEdges.ts';
import {
  allowed,
  allowedToTests,
  EMPTY_NAME,
  environmentReaders,
  forbidden,
  layers,
  restSpeakers,
  schemaEntries,
  typesOnly,
} from './rules.ts';
import { scan, type Import } from './scan.ts';
import { unusedInProduction } from './testCode.ts';
import { exportedNames, importedNames, unusedExports } from './unusedExports.ts';

/** A workspace: its folder from the root, its name, and the file behind each of its entries. */
interface Workspace {
  folder: string;
  name: string;
  entries: ReadonlyMap<string, string>;
  /** Text of its package.json. */
  manifest: string;
}

const SOURCE = /\.(?:[cm]?ts|[cm]?js|tsx)$/;
const TEST = /\.test\.(?:[cm]?[jt]s|tsx)$|^(?:apps|contracts|packages)\/[^/]+\/test\//;
const CONFIG = /\.config\.[cm]?[jt]s$/;
const SKIPPED = new Set(['node_modules', 'generated', 'coverage', 'dist']);

/** Checks every file below `root` against docs/architecture.md#layout. Returns a line for each offence. */
export const checkImports = async (root: string): Promise<string[]> => {
  const files = (await filesBelow(root, '')).sort();
  const workspaces = await workspacesOf(root, files);
  const offences = files.flatMap(nameOffences);
  const edges = new Map<string, Set<string>>();
  const packageEdges = new Map<string, Set<string>>();
  const folderEdges = new Map<string, Set<string>>();
  const exported = new Map<string, string[]>();
  const used = new Map<string, Set<string>>();

  for (const file of files.filter((path) => SOURCE.test(path))) {
    const source = await readFile(join(root, file), 'utf8');
    const { imports, environmentLines } = scan(source);
    exported.set(file, exportedNames(source));
    const own = ownerOf(file, workspaces);
    for (const line of environmentLines) {
      if (!mayReadEnvironment(file)) {
        offences.push(`${file}:${line} reads process.env: only the settings do`);
      }
    }
    for (const imported of imports) {
      const target = targetOf(file, imported.specifier, workspaces);
      const reason = offenceOf(file, own, imported, target);
      if (reason !== null)
        offences.push(`${file}:${imported.line} imports '${imported.specifier}': ${reason}`);
      if (target.file !== undefined) {
        add(edges, file, target.file);
        for (const name of importedNames(imported)) add(used, target.file, name);
      }
      const folders = own === undefined ? null : folderEdge(`${own.folder}/src`, file, target.file ?? '');
      if (folders !== null && !TEST.test(file)) {
        add(folderEdges, ...folders);
        if (goesUp(...folders)) offences.push(`${file}:${imported.line} imports from a folder above its own`);
      }
      const crosses = target.workspace !== undefined && own !== undefined && target.workspace !== own;
      if (crosses && !TEST.test(file)) add(packageEdges, own.folder, target.workspace?.folder ?? '');
    }
  }

  const cycles = [...cyclesOf(edges), ...cyclesOf(packageEdges), ...cyclesOf(folderEdges).filter(hasFolder)];
  const unused = unusedInProduction(files, edges, rootsOf(files, workspaces));
  return [
    ...offences,
    ...unused.map(
      (file) => `${file} is not used in production: move it to the folder \`test\`, or delete it`,
    ),
    ...unusedExports(exported, used),
    ...cycles.map((cycle) => `cycle: ${cycle.join(' → ')}`),
  ];
};

/** Files at which production code begins: entries of workspaces, programs, and files that a package.json names. */
const rootsOf = (files: readonly string[], workspaces: readonly Workspace[]): string[] => [
  ...files.filter((file) => file.endsWith('/main.ts')),
  ...workspaces.flatMap(({ folder, entries, manifest }) => [
    ...entries.values(),
    ...[...manifest.matchAll(/src\/[\w/-]+\.ts/g)].map(([path]) => `${folder}/${path}`),
  ]),
];

const add = (edges: Map<string, Set<string>>, from: string, to: string) =>
  edges.set(from, (edges.get(from) ?? new Set()).add(to));

const filesBelow = async (root: string, folder: string): Promise<string[]> => {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const below = entries
    .filter(({ name }) => !SKIPPED.has(name) && !name.startsWith('.'))
    .map(async (entry) => {
      const path = posix.join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(root, path) : [path];
    });
  return (await Promise.all(below)).flat();
};

const workspacesOf = async (root: string, files: readonly string[]): Promise<Workspace[]> => {
  const manifests = files.filter((file) => file.endsWith('/package.json'));
  return Promise.all(
    manifests.map(async (manifest) => {
      const text = await readFile(join(root, manifest), 'utf8');
      const { name, exports = {} }: { name: string; exports?: string | Record<string, string> } =
        JSON.parse(text);
      const folder = dirname(manifest);
      const entries = Object.entries(typeof exports === 'string' ? { '.': exports } : exports);
      return {
        folder,
        name,
        manifest: text,
        entries: new Map(entries.map(([entry, path]) => [entry, posix.join(folder, path)])),
      };
    }),
  );
};

/** Reports a meaningless name once: at the file with that name, or at the first file in a folder with that name. */
const nameOffences = (file: string): string[] =>
  file
    .split('/')
    .filter((part) => EMPTY_NAME.test(part.split('.')[0] ?? ''))
    .map((part) => `${file} is called '${part}': name it for what it does`);

const mayReadEnvironment = (file: string): boolean =>
  TEST.test(file) || CONFIG.test(file) || environmentReaders.some((folder) => isBelow(file, folder));

/** Whether an import leads to a folder that stands before its own in `layers`. */
const goesUp = (from: string, to: string): boolean => {
  const folders = layers[dirname(from)];
  return folders !== undefined && folders.indexOf(basename(to)) < folders.indexOf(basename(from));
};

const isBelow = (file: string, folder: string): boolean => file.startsWith(`${folder}/`);

/** The workspace with the longest folder that contains the file: one workspace may lie inside another. */
const ownerOf = (file: string, workspaces: readonly Workspace[]): Workspace | undefined =>
  workspaces
    .filter(({ folder }) => isBelow(file, folder))
    .toSorted((a, b) => b.folder.length - a.folder.length)[0];

/** The part of rules.ts that holds for a file: the longest listed folder that contains it, or its workspace. */
const partOf = (file: string, workspace: Workspace): string =>
  Object.keys(allowed)
    .filter((folder) => isBelow(file, folder) && folder.length >= workspace.folder.length)
    .toSorted((a, b) => b.length - a.length)[0] ?? workspace.folder;

/** Target of an import: a workspace of the repository, its entry, and the file if known. */
interface Target {
  workspace?: Workspace | undefined;
  entry?: string;
  file?: string | undefined;
  leaves?: boolean;
}

const targetOf = (file: string, specifier: string, workspaces: readonly Workspace[]): Target => {
  if (specifier.startsWith('.') || specifier.startsWith('/')) {
    const path = posix.join(posix.dirname(file), specifier);
    const own = ownerOf(file, workspaces);
    const workspace = ownerOf(path, workspaces) ?? workspaces.find(({ folder }) => path === folder);
    return { file: path, workspace, leaves: own !== undefined && workspace !== own };
  }
  const workspace = workspaces.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (workspace === undefined) return {};
  // `?url` asks the bundler for the address of a file.
  const entry = `.${specifier.slice(workspace.name.length).replace(/\?url$/, '')}`;
  return { workspace, entry, file: workspace.entries.get(entry) };
};

const offenceOf = (
  file: string,
  own: Workspace | undefined,
  imported: Import,
  target: Target,
): string | null => {
  const { specifier } = imported;
  if (/^zod(?:\/|$)/.test(specifier) && specifier !== 'zod/v4') return "zod is imported as 'zod/v4'";
  if (own === undefined) return null;
  if (forbidden[own.folder]?.test(specifier) === true) return `${own.folder} must not`;
  if (target.workspace === undefined)
    return target.leaves === true && !LEAVERS.has(own.folder) ? LEAVES : null;
  const from = partOf(file, own);
  const to = target.file === undefined ? target.workspace.folder : partOf(target.file, target.workspace);
  return from === to ? null : crossingOffence(file, from, imported, target, to);
};

/** Workspaces that use files of others by their paths: tests, and the programs that share their harness. */
const LEAVERS = new Set(['tests', 'tools']);

const LEAVES = 'a relative path must not leave its package';

const crossingOffence = (
  file: string,
  from: string,
  imported: Import,
  target: Target,
  to: string,
): string | null => {
  const rule = allowed[from] ?? [];
  if (rule === 'anything') return target.leaves === true && !LEAVERS.has(from) ? LEAVES : null;
  if (!rule.includes(to) && !(TEST.test(file) && allowedToTests.includes(to)))
    return `${from} must not import ${to}`;
  if (target.leaves === true) return LEAVES;
  if (target.file === undefined) return `${to} does not export it`;
  if (typesOnly.some(([a, b]) => a === from && b === to) && !imported.typeOnly) return 'only `import type`';
  const seesRoutes = to === 'contracts/rest' && !schemaEntries.includes(target.entry ?? '');
  if (seesRoutes && !restSpeakers.includes(from)) return `only ${schemaEntries.join(', ')} of the contract`;
  return null;
};
