import { setTimeout as wait } from 'node:timers/promises';
import type { Observer } from '../site/observer.ts';

/** Measures how long runs of a killed worker wait for another one. */
export interface Recovery {
  /** Call just after the kill. */
  watch(workerName: string): Promise<void>;
  /** Milliseconds of each run from the kill to the next claim or the end of the run. */
  measured(): Promise<number[]>;
}

const LOOK_MS = 200;
const GIVE_UP_MS = 120_000;

export const measureRecovery = (observer: Observer): Recovery => {
  const times: number[] = [];
  const watching: Promise<void>[] = [];

  const follow = async (id: string, fence: number, began: number): Promise<void> => {
    for (;;) {
      const [row] = await observer.query<{ over: boolean }>(
        `select (status in ('completed', 'failed', 'cancelled') or fence > $2 and status = 'claimed') as over
         from runs where id = $1`,
        [id, fence],
      );
      const ms = performance.now() - began;
      if (row?.over !== false || ms > GIVE_UP_MS) return void times.push(ms);
      await wait(LOOK_MS);
    }
  };
  return {
    watch: async (workerName) => {
      const began = performance.now();
      const held = await observer.query<{ id: string; fence: number }>(
        `select id::text, fence from runs where worker = $1 and status = 'claimed'`,
        [workerName],
      );
      for (const { id, fence } of held) watching.push(follow(id, fence, began));
    },
    measured: async () => {
      await Promise.all(watching);
      return times;
    },
  };
};
