import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterEach, expect, test } from 'vitest';
import { filesBesideCode } from './filesBesideCode.ts';

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

const bundled = async (files: Record<string, string>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'evaluation-bundle-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const build = await rolldown({ cwd: folder, input: './main.ts', plugins: [filesBesideCode()] });
  try {
    await build.write({ dir: join(folder, 'out'), entryFileNames: '[name].js' });
  } finally {
    await build.close();
  }
  return join(folder, 'out');
};

test('a program referenced by import.meta.url is bundled too, and its reference is rewritten', async () => {
  const out = await bundled({
    'main.ts': "export const place = new URL('thread.ts', import.meta.url);",
    'thread.ts': 'process.title = `${1 + 1}`;',
  });
  const [program = ''] = (await readdir(out)).filter((name) => name.endsWith('thread.js'));
  const { place }: { place: URL } = await import(join(out, 'main.js'));
  expect(place.pathname).toBe(join(out, program));
  expect(await readFile(place, 'utf8')).toContain('process.title');
});

test('a reference to a folder points beside the bundle', async () => {
  const out = await bundled({ 'main.ts': "export const place = new URL('../../prisma', import.meta.url);" });
  const { place }: { place: URL } = await import(join(out, 'main.js'));
  expect(place.pathname).toBe(join(out, 'prisma'));
});

test.each([
  "import { join } from 'node:path'; export const file = join(import.meta.dirname, 'data.json');",
  'export const file = new URL(`${process.pid}.ts`, import.meta.url);',
  "export const file = import.meta.resolve('zod');",
])('an unsupported use of the module’s location fails the bundle: %s', async (text) => {
  await expect(bundled({ 'main.ts': text })).rejects.toThrow(/uses its own location/);
});
