/*
 * Signals that ask a program to stop.
 *
 *   running ──SIGINT, SIGTERM, SIGHUP──▶ stopping ──SIGQUIT, or a later signal──▶ stopping at once
 *
 * One Ctrl-C may arrive several times: the terminal sends it to every process of the group, and npm passes its own copy
 * on to the program. Signals of the first two seconds therefore count as one wish, whichever they are. A later one says
 * that the sender does not want to wait. SIGQUIT (Ctrl-\) says so at any time.
 */

/** Signals this soon after the first one are copies of it. On a busy machine npm takes a second to pass its copy on. */
const COPIES_MS = 2000;

const STOP = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopListener {
  /** Called once: finish what is in hand, then end. */
  stop(): void;
  /** Called once, also without `stop` before it: end now. */
  stopAtOnce(): void;
}

/** Hears the signals from now on. @returns a function that gives the signals back their default effect */
export function onStopSignals(listener: StopListener): () => void {
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
}

/** The two wishes as signals of the platform, for a command that ends by itself. */
export interface Stops {
  interrupted: AbortSignal;
  /** Aborts after `interrupted`, or with it. */
  atOnce: AbortSignal;
}

/** Hears the signals until the process ends, so that a late copy does not end it by the signal's default effect. */
export function stopsBySignal(): Stops {
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
}

/** For a command that no signal stops, such as one inside another program. */
export const NEVER_STOPPED: Stops = {
  interrupted: new AbortController().signal,
  atOnce: new AbortController().signal,
};
