import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Checks dependencies by package-lock.json and the manifests: allowed licences, exact versions, a hash of every
 * package, and no install script that is not listed here. `npm run audit` looks up known vulnerabilities in a service.
 */

/** Permissive licences: they require a notice at most. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/** Packages with another licence, or without a readable one. Each is decided individually. */
const DECIDED: readonly { packages: RegExp; licence: string; why: string }[] = [
  {
    packages: /^@img\/sharp-libvips-/,
    licence: 'LGPL-3.0-or-later',
    why: "sharp's libvips: a shared library, linked dynamically, unchanged, replaceable",
  },
  {
    packages: /^@img\/sharp-(?:wasm32|win32-\w+)$/,
    licence: 'LGPL-3.0-or-later',
    why: 'the same libvips for platforms where it comes in one package; we ship none of them',
  },
  {
    packages: /^dejavu-fonts-ttf$/,
    licence: 'SEE LICENSE IN README.md AND LICENSE',
    why: 'Bitstream Vera and Arev terms: may be embedded and shipped with software, not sold by themselves',
  },
  {
    packages: /^elkjs$/,
    licence: 'EPL-2.0',
    why: "of prisma's studio, which comes with its command line: never loaded, changed or shipped in an image",
  },
  {
    packages: /^seq-queue$/,
    licence: 'none',
    why: 'MIT by its LICENSE file, which its manifest does not name; of mysql2, which prisma brings and we never load',
  },
];

interface Locked {
  version?: string;
  license?: unknown;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
}

export const checkLicences = async (root: string): Promise<string[]> => {
  const lock = (await readJson(join(root, 'package-lock.json'))) as { packages: Record<string, Locked> };
  const { allowScripts = {} } = (await readJson(join(root, 'package.json'))) as {
    allowScripts?: Record<string, boolean>;
  };
  const offences = await unpinned(root);
  for (const [path, locked] of Object.entries(lock.packages)) {
    const at = path.lastIndexOf('node_modules/');
    if (at === -1 || locked.link === true) continue;
    const name = path.slice(at + 'node_modules/'.length);
    const what = `${name}@${locked.version}`;
    if (locked.integrity === undefined) offences.push(`${what}: package-lock.json has no integrity of it`);
    if (locked.resolved !== undefined && !locked.resolved.startsWith('https://registry.npmjs.org/'))
      offences.push(`${what}: it does not come from the registry`);
    if (locked.hasInstallScript === true && allowScripts[name] === undefined)
      offences.push(
        `${what}: it has an install script; say in allowScripts of package.json whether it may run`,
      );
    if (locked.dev === true) continue;
    const licence = licenceOf(locked.license) ?? licenceOf(await installedLicence(root, path)) ?? 'none';
    if (!isAllowed(name, licence)) offences.push(`${what}: its licence is not decided, ${licence}`);
  }
  return offences.toSorted();
};

/** Old manifests have an object, or a list of objects. */
const licenceOf = (field: unknown): string | undefined => {
  if (typeof field === 'string') return field;
  if (Array.isArray(field)) return field.map(licenceOf).join(' OR ') || undefined;
  return typeof field === 'object' && field !== null && 'type' in field ? licenceOf(field.type) : undefined;
};

/** Licence in the installed manifest; undefined also for packages that are not installed on this platform. */
const installedLicence = async (root: string, path: string): Promise<unknown> => {
  try {
    const manifest = (await readJson(join(root, path, 'package.json'))) as Record<string, unknown>;
    return manifest['license'] ?? manifest['licenses'];
  } catch {
    return undefined;
  }
};

/** AND needs all parts allowed, OR needs one. No licence expression of our dependencies nests them. */
const isAllowed = (name: string, licence: string): boolean => {
  const decided = new Set(
    DECIDED.filter(({ packages }) => packages.test(name)).map((decision) => decision.licence),
  );
  const known = (id: string) => ALLOWED.has(id) || decided.has(id);
  if (decided.has(licence)) return true;
  const bare = licence.replace(/[()]/g, '');
  return bare
    .split(/\s+OR\s+/i)
    .some((choice) => choice.split(/\s+AND\s+/i).every((part) => known(part.trim())));
};

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/;
const SECTIONS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

/** Dependencies with a version range, which may install something else later. */
const unpinned = async (root: string): Promise<string[]> => {
  const offences: string[] = [];
  for (const path of await manifests(root)) {
    const manifest = (await readJson(join(root, path))) as Record<string, Record<string, string> | undefined>;
    for (const section of SECTIONS) {
      for (const [name, version] of Object.entries(manifest[section] ?? {})) {
        if (!EXACT.test(version)) offences.push(`${path}: ${name} ${version} is no exact version`);
      }
    }
  }
  return offences;
};

const manifests = async (root: string): Promise<string[]> => {
  const found = ['package.json'];
  for (const folder of ['apps', 'contracts', 'packages', 'tests', 'tools']) {
    for (const path of ['', ...(await foldersIn(join(root, folder)))]) {
      const manifest = join(folder, path, 'package.json');
      if ((await readJson(join(root, manifest)).catch(() => null)) !== null) found.push(manifest);
    }
  }
  return found;
};

const foldersIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => name);
};

const readJson = async (file: string): Promise<unknown> =>
  JSON.parse(await readFile(file, 'utf8')) as unknown;
