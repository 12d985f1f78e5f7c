import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Contents of files by their paths. */
export type Tree = Readonly<Record<string, string>>;

/** Writes files into a new folder, which is deleted after the test. @returns the folder */
export const plant = async (tree: Tree): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'evaluation-checks-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(tree)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
};

/** As `plant`, for checks that ask git for the files. */
export const plantRepository = async (tree: Tree): Promise<string> => {
  const root = await plant(tree);
  execFileSync('git', ['init', '-q'], { cwd: root });
  return root;
};
