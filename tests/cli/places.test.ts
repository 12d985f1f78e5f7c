import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyOfProject } from '../harness/copyOfProject.ts';
import { environmentOf, fileOf } from './program.ts';

const run = promisify(execFile);

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'places-'));
});

afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

/** As `/root` is on a new machine: under root PostgreSQL's account may enter neither the project nor its packages. */
test('the demo ends with a checked copy in a closed folder with a long, unusual path and a strict umask', async () => {
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const project = join(
    folder,
    `Asha's परीक्षा papers ${'x'.repeat(170 - folder.length)}`,
    'answer evaluation',
  );
  await copyOfProject(project);
  await chmod(project, 0o700);
  const dataDir = join(project, '.data');
  const { stdout } = await run('sh', ['-c', 'umask 077; exec npm run --silent demo'], {
    cwd: project,
    env: environmentOf({ PORT: '0', CORE_PORT: '0', DESK_PORT: '0' }),
  });
  expect(stdout).toContain('Total: 22 / 22');
  expect((await readdir(join(dataDir, 'demo'))).map((name) => name.slice(0, 12))).toEqual(['checked-copy']);
});

test('a data folder that cannot be made ends the start with one sentence', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const outcome = run(process.execPath, [fileOf('../../apps/standalone/src/main.ts')], {
    env: environmentOf({ DATA_DIR: join(file, '.data'), PORT: '0', CORE_PORT: '0', DESK_PORT: '0' }),
  });
  await expect(outcome).rejects.toMatchObject({
    stderr: `DATA_DIR: this account may not write to ${file}; set DATA_DIR to a folder of its own\n`,
  });
});
