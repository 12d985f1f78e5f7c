import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  findInstallation,
  InstallationError,
  installationFile,
  openInstallation,
  writeInstallation,
} from './index.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'installation-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

test('findInstallation creates no file', async () => {
  expect(await findInstallation(join(dataDir, 'none'))).toBeNull();
  expect(await readdir(dataDir)).toEqual([]);
});

test('the secrets of a data folder are created once and readable by its owner only', async () => {
  const first = await openInstallation(join(dataDir, 'new'));
  expect(await openInstallation(join(dataDir, 'new'))).toEqual(first);
  expect(await findInstallation(join(dataDir, 'new'))).toEqual(first);
  expect(new Set([...Object.values(first.tokens), first.actor_signing_key]).size).toBe(4);
  expect((await stat(installationFile(join(dataDir, 'new')))).mode & 0o777).toBe(0o600);
});

test('a written installation is found again, and no draft is left', async () => {
  const installation = { ...(await openInstallation(dataDir)), base_url: 'http://127.0.0.1:1/v1' };
  await writeInstallation(dataDir, installation);
  expect(await findInstallation(dataDir)).toEqual(installation);
  expect(await readdir(dataDir)).toEqual(['service.json']);
});

test('a broken file is refused without a quotation of its content, and not overwritten', async () => {
  await writeFile(installationFile(dataDir), '{"tokens": {"control": "s3cret"');
  const refusal = await openInstallation(dataDir).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(InstallationError);
  expect(String(refusal)).toContain(installationFile(dataDir));
  expect(String(refusal)).not.toContain('s3cret');
});
