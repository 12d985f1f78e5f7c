import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The compiler of the repository, not the older one that only the generators need. */
const TSC = join(
  dirname(createRequire(here('../../package.json')).resolve('typescript/package.json')),
  'bin/tsc',
);

export interface Outcome {
  code: number;
  output: string;
}

export const runNode = (program: string, ...args: string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (failure, stdout, stderr) => {
      resolve({ code: failure === null ? 0 : Number(failure.code ?? 1), output: stdout + stderr });
    });
  });

/** A folder that git and the type check of the repository ignore, where only its packages resolve. */
export const newGeneratedFolder = async (): Promise<{ folder: string; remove(): Promise<void> }> => {
  await mkdir(here('../generated'), { recursive: true });
  const folder = await mkdtemp(here('../generated/.client-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
};

export const programOn = async (page: URL): Promise<string> =>
  /```ts\n(.*?)```/s.exec(await readFile(page, 'utf8'))?.[1] ?? '';

/** Compiles programs, by name, with the strictest settings of TypeScript. */
export const compile = async (
  folder: string,
  programs: Record<string, string>,
  options: Record<string, unknown>,
): Promise<Outcome> => {
  const files = Object.keys(programs).map((name) => `${name}.ts`);
  for (const [name, source] of Object.entries(programs)) await writeFile(join(folder, `${name}.ts`), source);
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    ...options,
  };
  const project = join(folder, 'tsconfig.json');
  await writeFile(project, JSON.stringify({ compilerOptions, files }));
  return runNode(TSC, '--project', project);
};
