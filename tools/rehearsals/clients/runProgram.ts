import { execFile } from 'node:child_process';

/** @returns what the program printed to stdout @throws Error with its whole output, if its exit code is not 0 */
export const runProgram = (
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { cwd, maxBuffer: 10_000_000, env: { ...process.env, ...environment } };
    execFile(program, [...args], options, (failure, stdout, stderr) => {
      if (failure === null) resolve(stdout);
      else reject(new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: failure }));
    });
  });
