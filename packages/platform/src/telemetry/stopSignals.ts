/*
 * Signals that stop a program.
 *
 *   running ──SIGINT, SIGTERM, SIGHUP──▶ stopping ──SIGQUIT, or a later signal──▶ stopping at once
 *
 * One Ctrl-C can arrive several times: the terminal sends it to every process of the group, and npm forwards its own
 * copy. Signals within COPIES_MS therefore count as one. A later signal, or SIGQUIT (Ctrl-\) at any time, stops the
 * program at once.
 */

/** Signals within this time after the first are copies: on a busy machine npm forwards its copy after a second. */
const COPIES_MS = 2000;

const STOP = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface StopListener {
  /** Called once: finish open work, then end. */
  stop(): void;
  /** Called once, possibly without an earlier `stop`: end now. */
  stopAtOnce(): void;
}

/** Handles the signals from now on. @returns a function that restores their default effect */
export const onStopSignals = (listener: StopListener): (() => void) => {
  let stoppedAt: number | null = null;
  let atOnce = false;

  const hurry = (): void => {
    if (atOnce) return;
    atOnce = true;
    listener.stopAtOnce();
  };
  const hear = (): void => {
    if (stoppedAt === null) {
      stoppedAt = performance.now();
      if (!atOnce) listener.stop();
    } else if (performance.now() - stoppedAt > COPIES_MS) {
      hurry();
    }
  };
  for (const name of STOP) process.on(name, hear);
  process.on('SIGQUIT', hurry);
  return () => {
    for (const name of STOP) process.off(name, hear);
    process.off('SIGQUIT', hurry);
  };
};

export interface Stops {
  interrupted: AbortSignal;
  /** Aborts together with `interrupted` or later. */
  atOnce: AbortSignal;
}

/** Handles the signals until the process ends, so that a late copy does not kill it. */
export const stopsBySignal = (): Stops => {
  const interruption = new AbortController();
  const hurry = new AbortController();
  onStopSignals({
    stop: () => interruption.abort(),
    stopAtOnce: () => {
      interruption.abort();
      hurry.abort();
    },
  });
  return { interrupted: interruption.signal, atOnce: hurry.signal };
};

/** For a command inside another program, which handles the signals. */
export const NEVER_STOPPED: Stops = {
  interrupted: new AbortController().signal,
  atOnce: new AbortController().signal,
};
