import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errors } from './errors.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'contract-'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

const generate = (...options: string[]) =>
  new Promise<{ code: number; errors: string }>((resolve) => {
    execFile(
      process.execPath,
      [join(import.meta.dirname, 'generate.ts'), ...options],
      (failure, _, stderr) => {
        resolve({ code: failure === null ? 0 : Number(failure.code), errors: stderr });
      },
    );
  });

/* `npm run check:openapi` checks the files of the repository. */

test('--check names a file that is out of date, leaves it unchanged and fails', async () => {
  expect((await generate('--root', root)).code).toBe(0);
  expect(await generate('--check', '--root', root)).toEqual({ code: 0, errors: '' });

  const page = join(root, 'docs/errors.md');
  await appendFile(page, 'written by hand\n');
  const outcome = await generate('--check', '--root', root);
  expect(outcome.code).toBe(1);
  expect(outcome.errors).toContain('docs/errors.md has drifted');
  expect(outcome.errors).not.toContain('openapi.json');
  expect(await readFile(page, 'utf8')).toContain('written by hand');
});

test('docs/errors.md has each error code once', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8');
  for (const [code, { status }] of Object.entries(errors)) {
    expect([code, page.match(new RegExp(`^\\| ${status} +\\| \`${code}\` `, 'gm'))?.length]).toEqual([
      code,
      1,
    ]);
  }
});
