import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildPage } from '@evaluation/desk/build';

/**
 * `npm run check:page-size`: compares the built page of the desk with the limits in apps/desk/sizes.json, in KB of
 * 1000 bytes after gzip, and exits with 1 if one is exceeded. Raise a limit only with a reason in the commit.
 *
 *   firstScripts  scripts that each page loads before it shows anything
 *   styles        all style sheets
 *   largestFile   the largest file that a page loads when it needs it, such as the charts
 *   everything    all files but engines
 *   engines       what only class sets and the sample load: compiled libraries, and scanned copies
 */
const DESK = join(import.meta.dirname, '../../apps/desk');
const DIST = join(DESK, 'dist');

await buildPage(() => {});
const limits = JSON.parse(await readFile(join(DESK, 'sizes.json'), 'utf8')) as Record<string, number>;
const frame = await readFile(join(DIST, 'index.html'), 'utf8');
const found = await readdir(join(DIST, 'assets'), { withFileTypes: true, recursive: true });
const files = await Promise.all(
  found
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => ({
      name,
      kilobytes: gzipSync(await readFile(join(parentPath, name))).byteLength / 1000,
      isFirst: frame.includes(`/assets/${name}`),
    })),
);
const sum = (chosen: typeof files): number => chosen.reduce((total, { kilobytes }) => total + kilobytes, 0);
const isEngine = ({ name }: { name: string }) => /\.wasm$|\.pdf$|\.worker-/.test(name);
const isStyle = ({ name }: { name: string }) => name.endsWith('.css');
const sizes: Record<string, number> = {
  firstScripts: sum(files.filter((file) => file.isFirst && !isStyle(file))),
  styles: sum(files.filter(isStyle)),
  largestFile: Math.max(...files.filter((file) => !isEngine(file)).map(({ kilobytes }) => kilobytes)),
  everything: sum(files.filter((file) => !isEngine(file))),
  engines: sum(files.filter(isEngine)),
};
for (const [what, limit] of Object.entries(limits)) {
  const size = sizes[what] ?? 0;
  if (process.argv.includes('--print')) process.stdout.write(`${what} ${size.toFixed(1)} of ${limit} KB\n`);
  if (size <= limit) continue;
  process.stderr.write(
    `the desk's page: ${what} has ${size.toFixed(1)} KB after gzip, and the limit is ${limit}\n`,
  );
  process.exitCode = 1;
}
