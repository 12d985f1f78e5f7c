import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { buildPage } from '@evaluation/desk/build';
import { freePort } from '../harness/processes.ts';
import { launchBrowser } from './harness/browser.ts';

const DESK = join(import.meta.dirname, '../../apps/desk');
const HEADING = 'The style of the desk';

/** The development server of the desk, as `npm run style -w @evaluation/desk` starts it. */
const startDevelopment = async () => {
  const port = await freePort();
  const vite = join(
    dirname(createRequire(join(DESK, 'package.json')).resolve('vite/package.json')),
    'bin/vite.js',
  );
  const server = spawn(process.execPath, [vite, '--port', String(port), '--strictPort'], {
    cwd: DESK,
    stdio: 'ignore',
    // As in a shell. `production` would leave out what the React of the development server needs.
    env: { ...process.env, NODE_ENV: '' },
  });
  const url = `http://localhost:${port}/style`;
  const isUp = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp, { timeout: 60_000, interval: 200 }).toBe(true);
  return { url, [Symbol.dispose]: () => void server.kill() };
};

test('the development server shows the style in light and dark, and no built file has it', async () => {
  using server = await startDevelopment();
  const browser = await launchBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const errors: string[] = [];
  page.on('pageerror', (error) => void errors.push(String(error)));
  await page.goto(server.url);
  for (const scheme of ['light', 'dark']) {
    const sheet = page.locator(`#${scheme}`);
    await sheet
      .getByRole('heading', { level: 1, name: `${HEADING}, ${scheme}` })
      .waitFor({ timeout: 60_000 });
    for (const name of ['Type', 'Spaces', 'Colours', 'Buttons', 'Badges', 'Notices', 'Fields'])
      expect(await sheet.getByRole('heading', { level: 2, name, exact: true }).count()).toBe(1);
  }
  const background = (scheme: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('#${scheme} > div')).backgroundColor`);
  expect(await background('light')).toBe('rgb(255, 255, 255)');
  expect(await background('dark')).not.toBe('rgb(255, 255, 255)');
  expect(errors).toEqual([]);
  await browser.close();

  await buildPage(() => {});
  const built = await readdir(join(DESK, 'dist'), { recursive: true, withFileTypes: true });
  const texts = built.filter((entry) => entry.isFile() && /\.(html|js)$/.test(entry.name));
  expect(texts.length).toBeGreaterThan(10);
  for (const { parentPath, name } of texts) {
    expect(name).not.toContain('style.html');
    expect(await readFile(join(parentPath, name), 'utf8')).not.toContain(HEADING);
  }
}, 180_000);
