import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { environmentOf, fileOf, type Outcome } from './program.ts';

/**
 * A process in which a program's commands run one after another: starting one takes longer, and more CPU, than most
 * commands do. For whatever is not about the process itself; that is `runProgram`'s.
 */
export interface Terminal {
  run(args: readonly string[]): Promise<Outcome>;
  close(): Promise<void>;
}

/** What commandLoop.ts writes behind what a command has written; no program of ours writes it. */
export const END = '\u0000';

const COMMANDS = {
  admin: ['../../apps/admin/src/admin.ts', 'runAdmin'],
  demo: ['../../apps/demo/src/demo.ts', 'runDemo'],
} as const;

export const openTerminal = async (
  app: keyof typeof COMMANDS,
  environment: Record<string, string>,
): Promise<Terminal> => {
  const [entry, name] = COMMANDS[app];
  const child = fork(fileOf('./commandLoop.ts'), [fileOf(entry), name], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Nothing of the test's own: no flags of Vitest's.
    execArgv: [],
    env: environmentOf(environment),
  });
  if (child.stdout === null || child.stderr === null) throw new Error('no pipes');
  const [stdout, stderr] = [hear(child.stdout), hear(child.stderr)];
  const ended = once(child, 'exit');

  let answer = Promise.withResolvers<number>();
  child.on('message', (code: number) => answer.resolve(code));
  void ended.then(() => answer.reject(new Error(`${app} ended in the middle: ${stderr.rest()}`)));
  // It says once that it listens, and from then on how each command ended.
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
    // One at a time: there is one stdout.
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
  /** What a command has written, once all of it has come. */
  next(): Promise<string>;
  rest(): string;
}

const hear = (stream: Readable): Heard => {
  let heard = '';
  stream.setEncoding('utf8').on('data', (text: string) => (heard += text));
  return {
    rest: () => heard,
    next: async () => {
      while (!heard.includes(END)) await once(stream, 'data');
      const end = heard.indexOf(END);
      const said = heard.slice(0, end);
      heard = heard.slice(end + END.length);
      return said;
    },
  };
};
