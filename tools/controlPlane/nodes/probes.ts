import { setTimeout as wait } from 'node:timers/promises';
import type { Container, Probe } from '../../../tests/chart/pods.ts';
import { onThisMachine } from './addresses.ts';

/** Probes of one container, as the kubelet makes them. */
interface Probing {
  stop(): void;
}

interface Options {
  container: Container;
  address: string;
  onReady: (isReady: boolean) => void;
  /** The startup or liveness probe has failed as often as it may. */
  onDead: (probe: 'startup' | 'liveness') => void;
}

export const startProbes = ({ container, address, onReady, onDead }: Options): Probing => {
  const stopping = new AbortController();
  const { signal } = stopping;

  const succeeds = async ({ httpGet, timeoutSeconds = 1 }: Probe): Promise<boolean> => {
    const port = container.ports?.find(({ name }) => name === httpGet?.port)?.containerPort ?? httpGet?.port;
    try {
      const response = await fetch(`http://${onThisMachine(address)}:${port}${httpGet?.path}`, {
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
        // The kubelet opens a connection for each probe.
        headers: { connection: 'close' },
      });
      await response.text();
      return response.status < 400;
    } catch {
      return false;
    }
  };
  /** Calls `seen` with each result and how many such results came in succession, until `seen` returns true. */
  const repeat = async (probe: Probe, seen: (ok: boolean, times: number) => boolean): Promise<void> => {
    let last = false;
    let times = 0;
    for (;;) {
      const ok = await succeeds(probe);
      if (signal.aborted) return;
      times = ok === last ? times + 1 : 1;
      last = ok;
      if (seen(ok, times)) return;
      await wait((probe.periodSeconds ?? 10) * 1000, undefined, { signal });
    }
  };
  const isTooOften = (probe: Probe, times: number): boolean => times >= (probe.failureThreshold ?? 3);

  const all = async (): Promise<void> => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    if (startupProbe !== undefined) {
      await repeat(startupProbe, (ok, times) => {
        if (!ok && isTooOften(startupProbe, times)) onDead('startup');
        return ok;
      });
    }
    if (signal.aborted) return;
    if (readinessProbe === undefined) onReady(true);
    await Promise.all([
      readinessProbe === undefined
        ? null
        : repeat(readinessProbe, (ok, times) => {
            if (ok) onReady(true);
            else if (isTooOften(readinessProbe, times)) onReady(false);
            return false;
          }),
      livenessProbe === undefined
        ? null
        : repeat(livenessProbe, (ok, times) => {
            if (!ok && isTooOften(livenessProbe, times)) onDead('liveness');
            return false;
          }),
    ]);
  };
  // The signal ends the pauses.
  all().catch(() => {});
  return { stop: () => stopping.abort() };
};
