import { setTimeout as wait } from 'node:timers/promises';
import type { Lanes } from '@evaluation/lanes';
import type { ObjectStore } from '@evaluation/object-store';
import type { Logger } from '@evaluation/telemetry';

/*
 * Makes the bucket and the streams where they are missing. Core must start while either is away: PostgreSQL alone is the
 * truth, and a replica that ended itself for a store would take the answers with it. So a start waits for them a moment
 * and goes on, and this goes on behind it. State: none; each try begins anew, and replicas may race.
 */

/** What a start waits for stores that answer: enough for those that do. */
const START_MS = 2000;
const PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;

export interface Preparation {
  /** Tries no more. A try under way ends with the connections it uses. */
  stop(): void;
}

/** @returns when all is there, or after two seconds; from then on in the background, until all is there or it is stopped */
export const prepareStores = async ({
  lanes,
  objects,
  log,
}: {
  lanes: Pick<Lanes, 'ensureStreams'>;
  objects: Pick<ObjectStore, 'ensureBucket'>;
  log: Pick<Logger, 'info' | 'warn'>;
}): Promise<Preparation> => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const untilDone = async (what: string, make: () => Promise<void>): Promise<void> => {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        await make();
        if (tries > 1) log.info({ what, tries }, 'made at last');
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error, what, tries }, 'could not be made yet');
      }
      const pauseMs = Math.min(PAUSE_MS * tries, LONGEST_PAUSE_MS);
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  };
  const all = Promise.all([
    untilDone('bucket', () => objects.ensureBucket({ signal })),
    untilDone('streams', () => lanes.ensureStreams()),
  ]);
  const patience = new AbortController();
  await Promise.race([all, wait(START_MS, undefined, { signal: patience.signal }).catch(() => {})]);
  patience.abort();
  return { stop: () => stopping.abort() };
};
