import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

/*
 * Chromium for tests: the binary in CHROMIUM_BIN, or the one that npm brings. The archive from npm is unpacked once,
 * below the folder for temporary files, which takes about 4 seconds.
 */

/** Own flags: those of `@sparticuz/chromium` turn off web security, which these tests are about. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];

const ADVICE = [
  'Chromium did not start. On Debian and Ubuntu `apt-get install libnss3 libnspr4` brings the libraries that are',
  'missing most often; or set CHROMIUM_BIN to a Chromium of this machine.',
].join(' ');

/** @throws Error that says which library is missing, or how to name another Chromium */
export const launchBrowser = async (): Promise<Browser> => {
  const own = process.env['CHROMIUM_BIN'];
  try {
    if (own !== undefined) return await chromium.launch({ executablePath: own, args: FLAGS });
    const folder = await unpacked();
    return await chromium.launch({
      executablePath: join(folder, 'chromium'),
      args: FLAGS,
      // Libraries of the archive (NSS, NSPR) for machines that have none. Those of the machine come first.
      env: { ...process.env, LD_LIBRARY_PATH: `${SYSTEM_LIBRARIES}:${join(folder, 'al2023/lib')}` },
    });
  } catch (error) {
    throw new Error(`${ADVICE}\n${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

const SYSTEM_LIBRARIES = '/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/usr/lib64:/lib64';

/**
 * Unpacks Chromium and its libraries. A folder is complete once it has its final name, so that test files and runs of
 * one machine may do it at once.
 * @returns the folder
 */
const unpacked = async (): Promise<string> => {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const { mtimeMs } = await stat(entry);
  const folder = join(tmpdir(), `evaluation-chromium-${userInfo().uid}-${Math.round(mtimeMs)}`);
  if (await exists(folder)) return folder;
  const draft = await mkdtemp(join(tmpdir(), 'evaluation-chromium-draft-'));
  // The package unpacks into the folder for temporary files, and skips files that are there.
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], {
    cwd: dirname(entry),
    env: { ...process.env, TMPDIR: draft },
  });
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true });
    if (!(await exists(folder))) throw error;
  });
  return folder;
};

const UNPACK = `
import chromium, { inflate } from '@sparticuz/chromium';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
await chromium.executablePath();
const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
await inflate(join(dirname(entry), '../bin/al2023.tar.br'));
`;

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
