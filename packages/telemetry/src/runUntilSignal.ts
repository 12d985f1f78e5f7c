import { onStopSignals } from './stopSignals.ts';

export interface Program {
  /** What it says it is when it is ready: its name, or the address to call. */
  name: string;
  close(): Promise<void>;
}

export interface RunOptions {
  say?: (line: string) => void;
  /** Stops the processes that the program has started, also while it is still starting. Given `AT_ONCE_MS` to do so. */
  stopAtOnce?: () => Promise<void>;
}

/** Longer than the immediate shutdown of PostgreSQL, which ends its processes by force after 5 s. */
const AT_ONCE_MS = 10_000;

/**
 * A program's life: start, say `ready NAME`, stop in order when a signal asks for it (`stopSignals.ts`).
 *
 * Exit codes: 0 stopped in order; 1 stopped at once, or did not start. What was accepted is in PostgreSQL, so an end at
 * once loses none of it.
 */
export const runUntilSignal = async (
  start: () => Promise<Program>,
  { say = (line) => void process.stdout.write(`${line}\n`), stopAtOnce = async () => {} }: RunOptions = {},
): Promise<void> => {
  let stopping = false;
  let endingAtOnce = false;
  let running: Program | null = null;
  /** An end in order gives way to one at once, which may still be stopping servers. */
  const exit = (code: 0 | 1): void => {
    if (!endingAtOnce) process.exit(code);
  };
  const closeAndExit = (program: Program): void => {
    void program.close().then(
      () => exit(0),
      (error: unknown) => {
        if (!endingAtOnce) console.error(error);
        exit(1);
      },
    );
  };
  onStopSignals({
    stop: () => {
      stopping = true;
      say('stopping: finishing what is in hand (again after 2 s to stop at once)');
      // A program that is still starting is closed as soon as it has started.
      if (running !== null) closeAndExit(running);
    },
    stopAtOnce: () => {
      endingAtOnce = true;
      say('stopping at once');
      setTimeout(() => process.exit(1), AT_ONCE_MS);
      void stopAtOnce().then(
        () => process.exit(1),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
    },
  });
  try {
    running = await start();
    if (stopping) closeAndExit(running);
    else say(`ready ${running.name}`);
  } catch (error) {
    // Settings errors tell the operator what to do; a stack would hide it.
    if (!endingAtOnce) console.error(error instanceof Error ? error.message : error);
    exit(1);
  }
};
