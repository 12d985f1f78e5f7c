import { createLogger } from './logger.ts';
import { onStopSignals } from './stopSignals.ts';

interface Program {
  /** Printed when the program is ready: its name, or its address. */
  name: string;
  close(): Promise<void>;
}

interface RunOptions {
  say?: (line: string) => void;
  /** Reports why the program did not start or close. */
  complain?: (error: unknown) => void;
  /** Stops the child processes of the program within AT_ONCE_MS, also while the program starts. */
  stopAtOnce?: () => Promise<void>;
}

/** Longer than PostgreSQL's immediate shutdown, which kills its processes after 5 s. */
const AT_ONCE_MS = 10_000;

/**
 * Runs a program: starts it, prints `ready NAME`, and closes it on a signal (`stopSignals.ts`).
 *
 * Exit codes: 0 closed in order; 1 stopped at once, or failed to start. Accepted work is in PostgreSQL, so stopping
 * at once loses none.
 */
export const runUntilSignal = async (
  start: () => Promise<Program>,
  {
    say = (line) => void process.stdout.write(`${line}\n`),
    // Settings errors tell the operator what to do; a stack trace would hide that.
    complain = (error) => console.error(error instanceof Error ? error.message : error),
    stopAtOnce = async () => {},
  }: RunOptions = {},
): Promise<void> => {
  let stopping = false;
  let endingAtOnce = false;
  let running: Program | null = null;
  /** An orderly exit must not interrupt `stopAtOnce`, which may still be stopping servers. */
  const exit = (code: 0 | 1): void => {
    if (!endingAtOnce) process.exit(code);
  };
  const closeAndExit = (program: Program): void => {
    void program.close().then(
      () => exit(0),
      (error: unknown) => {
        if (!endingAtOnce) complain(error);
        exit(1);
      },
    );
  };
  onStopSignals({
    stop: () => {
      stopping = true;
      say('stopping: finishing work in progress (again after 2 s to stop at once)');
      if (running !== null) closeAndExit(running);
    },
    stopAtOnce: () => {
      endingAtOnce = true;
      say('stopping at once');
      setTimeout(() => process.exit(1), AT_ONCE_MS);
      void stopAtOnce().then(
        () => process.exit(1),
        (error: unknown) => {
          complain(error);
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
    if (!endingAtOnce) complain(error);
    exit(1);
  }
};

/** Options of a process in a container: start, stop and failures are JSON lines like the rest of its log. */
export const asLogLines = (service: string): RunOptions => {
  const log = createLogger({ service, level: 'info' });
  return {
    say: (line) => log.info(line),
    complain: (error) => log.error({ err: error }, error instanceof Error ? error.message : 'failed'),
  };
};
