/**
 * `npm run rehearse:places [-- --only TEXT]`: runs the README's commands in each place of `placesTable.ts` and prints
 * how each ended (docs/proofs.md#places). Needs root on Linux, git, and `setpriv`, `unshare` and `ip`. It tests the
 * commit that is checked out, without uncommitted changes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from '../../tests/harness/processes.ts';
import { PLACES, PRELUDE, type Place } from './placesTable.ts';

const REPOSITORY = resolve(fileURLToPath(new URL('../../', import.meta.url)));
/** Three times what the slowest place takes on two cores. */
const LONGEST_MS = 900_000;

const run = async (place: Place, folder: string): Promise<string | null> => {
  const site = await mkdtemp(join(folder, 'site-'));
  await chmod(site, 0o755);
  const ports = [await freePort(), await freePort(), await freePort()];
  const child = spawn('sh', ['-c', `${PRELUDE}${place.script}`], {
    cwd: site,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      // What the person has set, such as a certificate authority of a company, without what npm sets for this script.
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
      PATH: (process.env['PATH'] ?? '')
        .split(':')
        .filter((part) => !part.includes('node_modules'))
        .join(':'),
      SITE: site,
      REPOSITORY,
      TOOLS: join(folder, 'tools'),
      ...Object.fromEntries(ports.map((port, index) => [`PORT_${index + 1}`, String(port)])),
    },
  });
  let output = '';
  const keep = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const late = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), LONGEST_MS);
  const [code] = await once(child, 'close');
  clearTimeout(late);
  await rm(site, { recursive: true, force: true, maxRetries: 5 });
  const isRight =
    place.says === undefined
      ? code === 0 && output.includes('Checked copy saved')
      : code !== 0 && place.says.test(output.trimEnd());
  return isRight ? null : `exit code ${String(code)}:\n${output.trimEnd().slice(-3000)}`;
};

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
if (process.platform !== 'linux' || process.getuid?.() !== 0) {
  console.error('the places need root on Linux: accounts, mounts and networks of their own');
  process.exit(2);
}
const chosen = PLACES.filter(({ name }) => name.includes(values.only));
const folder = await mkdtemp(join(tmpdir(), 'places-'));
await chmod(folder, 0o755);
await mkdir(join(folder, 'tools'));
let wrong = 0;
try {
  for (const place of chosen) {
    const started = performance.now();
    const fault = await run(place, folder);
    const seconds = Math.round((performance.now() - started) / 1000);
    if (fault !== null) wrong += 1;
    const end = fault === null ? (place.says === undefined ? 'works' : 'says what to do') : `WRONG: ${fault}`;
    console.log(`${place.name}: ${end} (${seconds} s)`);
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${chosen.length - wrong} of ${chosen.length} places end as they must`);
process.exitCode = wrong === 0 && chosen.length > 0 ? 0 : 1;
