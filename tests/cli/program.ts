import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../harness/compileCache.ts';

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface RunningProgram {
  child: ChildProcess;
  output(): string;
  ended: Promise<Outcome>;
}

export const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A program's environment: the given variables, PATH, HOME and the compile cache, and nothing else of the test. */
export const environmentOf = (given: Record<string, string>): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  ...given,
});

export const startProgram = (
  command: string,
  args: readonly string[],
  environment: Record<string, string>,
  input?: string,
): RunningProgram => {
  const child = spawn(process.execPath, [fileOf('../../apps/cli/src/main.ts'), command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environmentOf(environment),
  });
  child.stdin.end(input);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = once(child, 'close').then((): Outcome => ({ code: child.exitCode, ...output }));
  return { child, output: () => output.stdout, ended };
};

export const runProgram = (...call: Parameters<typeof startProgram>): Promise<Outcome> =>
  startProgram(...call).ended;
