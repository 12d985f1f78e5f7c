import { access } from 'node:fs/promises';
import sparticuz from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';

/*
 * Chromium for tests: the binary in CHROMIUM_BIN, or the one that npm brings. Its archive is unpacked once, to the
 * folder for temporary files, and needs about 4 seconds for it.
 */

/** Own flags: those of `@sparticuz/chromium` turn off web security, which these tests are about. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];

const ADVICE = [
  'Chromium did not start. On Debian and Ubuntu `apt-get install libnss3 libnspr4` brings the libraries that are',
  'missing most often; or set CHROMIUM_BIN to a Chromium of this machine.',
].join(' ');

/** @throws Error that says which library is missing, or how to name another Chromium */
export const launchBrowser = async (): Promise<Browser> => {
  try {
    return await chromium.launch({
      executablePath: process.env['CHROMIUM_BIN'] ?? (await unpacked()),
      args: FLAGS,
    });
  } catch (error) {
    throw new Error(`${ADVICE}\n${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

const unpacked = async (): Promise<string> => {
  const path = await sparticuz.executablePath();
  await access(path);
  return path;
};
