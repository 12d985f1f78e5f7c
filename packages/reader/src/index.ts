import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Message, ReadRequest } from './child.ts';
import type { Line } from './types.ts';

export interface Reader {
  /**
   * Lines of a picture in reading order. One picture at a time.
   * @param paper texts of the exam, whose words may be taken for misread ones (lexicon.ts)
   * @throws Error if the picture cannot be decoded or the child has ended
   */
  read: (jpeg: Buffer, paper?: readonly string[]) => Promise<Line[]>;
  /** Ends the child at once, also in the middle of a picture. */
  end: () => void;
}

const program = fileURLToPath(new URL('child.ts', import.meta.url));

/**
 * Starts the offline reader of print and handwriting in a process of its own (0.5 s of CPU, then about 450 MB, and up
 * to 700 MB during a page). A thread would not do: ending a thread while the runtime computes ends the whole process.
 * The child ends with this process, and keeps it alive only while it reads.
 * @throws Error if the runtime has no binary for this platform
 */
export const startReader = async (): Promise<Reader> => {
  const child = fork(program, [], {
    // Neither flags nor the environment, which holds secrets, are passed on.
    execArgv: [],
    env: { MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    // Ctrl-C must reach the parent only, which finishes the page.
    detached: true,
  });
  // An 'error' event without a listener would end this process.
  child.on('error', () => {});
  const next = nextMessage(child);
  await next();
  return {
    async read(jpeg, paper = []) {
      const answer = next();
      child.send({ jpeg, paper } satisfies ReadRequest);
      const message = await answer;
      if (message.kind !== 'lines') throw new Error('the picture cannot be read');
      return message.lines;
    },
    end: () => void child.kill('SIGKILL'),
  };
};

const nextMessage = (child: ChildProcess) => {
  const ended = new AbortController();
  child.on('exit', () => ended.abort(new Error('the reader ended')));
  return async (): Promise<Message> => {
    ended.signal.throwIfAborted();
    child.ref();
    child.channel?.ref();
    try {
      // The child is part of this package, so its messages are of this type.
      const [message] = (await once(child, 'message', { signal: ended.signal })) as [Message];
      return message;
    } finally {
      child.unref();
      child.channel?.unref();
    }
  };
};
