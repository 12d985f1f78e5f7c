import { setTimeout as wait } from 'node:timers/promises';
import type { Observer } from '../site/observer.ts';

/** Measures how long runs of a killed worker wait for another one. */
export interface Recovery {
  /** Call just after the kill. */
  watch(workerName: string): Promise<void>;
  measured(): Promise<Recovered[]>;
}

/** One run that its worker held when it was killed. */
interface Recovered {
  /** Milliseconds from the start of the measurement to the kill. */
  killedAt: number;
  /** Milliseconds from the kill to the next claim or the end of the run. */
  ms: number;
  /** Each state of the run after the kill with its second. */
  history: string;
}

const LOOK_MS = 200;
const GIVE_UP_MS = 120_000;
const SLOW_MS = 15_000;
const MOST_SHOWN = 20;

export const slowest = (recoveries: readonly Recovered[]): Recovered[] =>
  recoveries
    .filter(({ ms }) => ms > SLOW_MS)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, MOST_SHOWN);

export const measureRecovery = (observer: Observer): Recovery => {
  const began = performance.now();
  const recoveries: Recovered[] = [];
  const watching: Promise<void>[] = [];

  const follow = async (id: string, fence: number, killedAt: number): Promise<void> => {
    const history = [`killed at ${seconds(killedAt - began)} s`];
    let last = '';
    for (;;) {
      const [row] = await observer.query<{ over: boolean; state: string }>(
        `select (status in ('completed', 'failed', 'cancelled') or fence > $2 and status = 'claimed') as over,
           status || ' ' || delivery || ' ' || fence as state
         from runs where id = $1`,
        [id, fence],
      );
      const ms = performance.now() - killedAt;
      if (row !== undefined && row.state !== last) history.push(`${row.state} after ${seconds(ms)} s`);
      last = row?.state ?? last;
      if (row?.over !== false || ms > GIVE_UP_MS)
        return void recoveries.push({ killedAt: killedAt - began, ms, history: history.join(', ') });
      await wait(LOOK_MS);
    }
  };
  return {
    watch: async (workerName) => {
      const killedAt = performance.now();
      const held = await observer.query<{ id: string; fence: number }>(
        `select id::text, fence from runs where worker = $1 and status = 'claimed'`,
        [workerName],
      );
      for (const { id, fence } of held) watching.push(follow(id, fence, killedAt));
    },
    measured: async () => {
      await Promise.all(watching);
      return recoveries;
    },
  };
};

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
