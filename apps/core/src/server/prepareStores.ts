import { setTimeout as wait } from 'node:timers/promises';
import type { Lanes } from '@evaluation/lanes';
import type { ObjectStore } from '@evaluation/object-store';
import type { Logger } from '@evaluation/platform/telemetry';

/*
 * Creates the bucket and the streams if they are missing. Core must start and answer while the object store or NATS is
 * down, because it needs only PostgreSQL. The start therefore waits START_MS at most, and the creation is retried in
 * the background. State: none; each try is idempotent, and replicas may race.
 */

/** Longest wait at start; enough for stores that are up. */
const START_MS = 2000;
const PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;

interface Preparation {
  /** Stops the retries. A running try ends when its connections are closed. */
  stop(): void;
}

/** Resolves when both exist, or after START_MS; retries then continue until they succeed or are stopped. */
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
        if (tries > 1) log.info({ what, tries }, 'created after retries');
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error, what, tries }, 'creation failed; it is retried');
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
