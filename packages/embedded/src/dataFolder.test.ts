import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimDataFolder, DataFolderInUse, keptSecret } from './dataFolder.ts';
import { freshFolder } from '../test/killable.ts';

let folder: Awaited<ReturnType<typeof freshFolder>>;

beforeEach(async () => {
  folder = await freshFolder();
});

afterEach(() => folder.remove());

test('of many simultaneous claims of a folder one succeeds', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => claimDataFolder(folder.path)));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(7);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(DataFolderInUse);
});

test('a claim whose pid now belongs to another process is ignored', async () => {
  for (const content of [
    JSON.stringify({ pid: process.pid, mark: 'an earlier life', claim: 'x' }),
    '',
    '{',
    'null',
  ]) {
    await writeFile(join(folder.path, 'owner.json'), content);
    const claimed = await claimDataFolder(folder.path);
    expect(JSON.parse(await readFile(join(folder.path, 'owner.json'), 'utf8'))).toMatchObject({
      pid: process.pid,
    });
    await claimed.release();
  }
});

test('a folder reached by another path is recognised', async () => {
  const claimed = await claimDataFolder(join(folder.path, 'data'));
  await symlink(join(folder.path, 'data'), join(folder.path, 'alias'));
  await expect(claimDataFolder(join(folder.path, 'alias'))).rejects.toThrow(DataFolderInUse);
  await claimed.release();
  expect((await claimDataFolder(join(folder.path, 'alias'))).path).toBe(claimed.path);
});

test('releasing twice, or late, does not take the folder from its next owner', async () => {
  const first = await claimDataFolder(folder.path);
  await first.release();
  await claimDataFolder(folder.path);
  await first.release();
  await expect(claimDataFolder(folder.path)).rejects.toThrow(DataFolderInUse);
});

test('a secret is created once and readable by its owner only', async () => {
  const file = join(folder.path, 'secret');
  const secret = await keptSecret(file);
  expect(secret).toMatch(/^[\w-]{32}$/);
  expect(await keptSecret(file)).toBe(secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
