import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('../../', import.meta.url));

/** Checks another commit out beside this repository, with the packages that are installed here. */
export const checkOut = (commit: string, folder: string): { root: string; remove(): void } => {
  const root = join(folder, 'release');
  const run = (program: string, ...words: string[]): void =>
    void execFileSync(program, words, { cwd: HERE, stdio: 'pipe' });
  run('git', 'worktree', 'add', '--detach', root, commit);
  const remove = (): void => run('git', 'worktree', 'remove', '--force', root);
  try {
    // Links inside node_modules are relative, so they lead to the packages of that commit.
    for (const path of installedFolders())
      if (existsSync(join(root, path, '..'))) run('cp', '-al', join(HERE, path), join(root, path));
    execFileSync('npm', ['run', '--silent', 'generate'], { cwd: root, stdio: 'pipe' });
    return { root, remove };
  } catch (error) {
    remove();
    throw error;
  }
};

const installedFolders = (): string[] =>
  execFileSync('find', ['.', '-name', 'node_modules', '-prune', '-not', '-path', '*/.git/*'], {
    cwd: HERE,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '');
