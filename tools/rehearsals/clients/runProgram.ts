import { execFile } from 'node:child_process';

/** @returns what the program printed @throws Error with its whole output, if its exit code is not 0 */
export const runProgram = (program: string, args: readonly string[], cwd: string): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(program, [...args], { cwd, maxBuffer: 10_000_000 }, (failure, stdout, stderr) => {
      if (failure === null) resolve(stdout);
      else reject(new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: failure }));
    });
  });
