import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { checkWorkFolder } from './workFolder.ts';

afterEach(() => vi.unstubAllEnvs());

test('a temporary folder that can be written is left as it was', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writable-'));
  vi.stubEnv('TMPDIR', folder);
  await checkWorkFolder();
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test('a temporary folder that cannot be written is named', async () => {
  const missing = join(tmpdir(), 'no-such-folder');
  vi.stubEnv('TMPDIR', missing);
  await expect(checkWorkFolder()).rejects.toThrow(`the temporary folder ${missing} cannot be written`);
});
