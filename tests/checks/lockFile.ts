import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/v4';

/**
 * `npm run generate:lock`: removes `engines` from all packages of package-lock.json. Packages run on the Node that
 * `npm ci` installs, but npm compares `engines` with the Node that it runs on itself, and would print a warning for
 * each of them and skip optional ones. With `--check` it writes nothing, and exits with 1 if an entry has `engines`.
 */
const FILE = join(import.meta.dirname, '../../package-lock.json');

const stored: unknown = JSON.parse(await readFile(FILE, 'utf8'));
const lock = z
  .looseObject({ packages: z.record(z.string(), z.looseObject({ engines: z.unknown().optional() })) })
  .parse(stored);
const limited = Object.entries(lock.packages).filter(([, { engines }]) => engines !== undefined);

if (process.argv.includes('--check')) {
  if (limited.length > 0) {
    const names = limited.map(([path]) => path.replace(/^node_modules\//, '')).slice(0, 5);
    console.error(
      `package-lock.json has "engines" of ${limited.length} packages (${names.join(', ')} …); remove them with npm run generate:lock`,
    );
    process.exitCode = 1;
  }
} else {
  for (const [, entry] of limited) delete entry.engines;
  // In the order of the file, which npm keeps.
  await writeFile(FILE, `${JSON.stringify(Object.assign({}, stored, lock), null, 2)}\n`);
}
