import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { environmentOf, fileOf, type Outcome } from './program.ts';

/**
 * A process that runs a program's commands one after another: starting a process takes more time and CPU than most
 * commands. Tests of the process itself use `runProgram`.
 */
export interface Terminal {
  run(args: readonly string[]): Promise<Outcome>;
  close(): Promise<void>;
}

/** End mark that commandLoop.ts writes after the output of a command; no program writes this character. */
export const END = '\u0000';

const COMMANDS = {
  admin: ['../../apps/cli/src/admin/admin.ts', 'runAdmin'],
  demo: ['../../apps/cli/src/demo/demo.ts', 'runDemo'],
} as const;

export const openTerminal = async (
  app: keyof typeof COMMANDS,
  environment: Record<string, string>,
): Promise<Terminal> => {
  const [entry, name] = COMMANDS[app];
  const child = fork(fileOf('./commandLoop.ts'), [fileOf(entry), name], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // No flags of Vitest.
    execArgv: [],
    env: environmentOf(environment),
  });
  if (child.stdout === null || child.stderr === null) throw new Error('no pipes');
  const [stdout, stderr] = [hear(child.stdout), hear(child.stderr)];
  const ended = once(child, 'exit');

  let answer = Promise.withResolvers<number>();
  child.on('message', (code: number) => answer.resolve(code));
  void ended.then(() => answer.reject(new Error(`${app} ended in the middle: ${stderr.rest()}`)));
  // The child sends one message when it listens, then one with the outcome of each command.
  await answer.promise;

  const run = async (args: readonly string[]): Promise<Outcome> => {
    if (!child.connected) throw new Error(`${app} has ended: ${stderr.rest()}`);
    answer = Promise.withResolvers();
    child.send(args);
    const code = await answer.promise;
    return { code, stdout: await stdout.next(), stderr: await stderr.next() };
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (args) => {
      const outcome = last.then(() => run(args));
      last = outcome.catch(() => {});
      return outcome;
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
};

interface Heard {
  next(): Promise<string>;
  rest(): string;
}

const hear = (stream: Readable): Heard => {
  let received = '';
  stream.setEncoding('utf8').on('data', (text: string) => (received += text));
  return {
    rest: () => received,
    next: async () => {
      while (!received.includes(END)) await once(stream, 'data');
      const end = received.indexOf(END);
      const text = received.slice(0, end);
      received = received.slice(end + END.length);
      return text;
    },
  };
};
