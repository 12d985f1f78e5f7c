export interface Program {
  /** What it says it is when it is ready: its name, or the address to call. */
  name: string;
  close(): Promise<void>;
}

/**
 * A program's life: start, say `ready NAME`, stop in order at SIGTERM or SIGINT. A second signal is somebody who does
 * not want to wait; nothing that was accepted is lost by it.
 */
export const runUntilSignal = async (
  start: () => Promise<Program>,
  say: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<void> => {
  let stopping = false;
  let running: Program | null = null;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    say('stopping: finishing what is in hand (again to stop at once)');
    // Still starting: what has begun is stopped as soon as it can be.
    if (running !== null) closeAndExit(running);
  };
  const closeAndExit = (program: Program): void => {
    void program.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    running = await start();
    if (stopping) closeAndExit(running);
    else say(`ready ${running.name}`);
  } catch (error) {
    // Settings errors tell the operator what to do; a stack would hide it.
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
};
