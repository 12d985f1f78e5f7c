import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/*
 * Asks one address again and again from a thread of its own, so that a test which keeps its own thread busy does not
 * measure its own delays.
 */

interface Probed {
  /** Sorted, in milliseconds. */
  latencies: number[];
  /** Distinct statuses, and the messages of failed requests. */
  answers: string[];
}

interface Asked {
  url: string;
  headers: Record<string, string>;
  everyMs: number;
}

interface LatencyProbe {
  /** Resolves when the thread runs. */
  running: Promise<unknown>;
  stop(): Promise<Probed>;
}

export const startLatencyProbe = (asked: Asked): LatencyProbe => {
  const worker = new Worker(new URL(import.meta.url), { workerData: asked });
  const result = new Promise<Probed>((resolve, reject) => {
    worker.once('message', (probed: Probed) => resolve(probed));
    worker.once('error', reject);
  });
  return {
    running: once(worker, 'online'),
    stop: () => {
      worker.postMessage('stop', []);
      return result;
    },
  };
};

const isAsked = (data: unknown): data is Asked =>
  typeof data === 'object' && data !== null && 'everyMs' in data;

const probe = async ({ url, headers, everyMs }: Asked): Promise<Probed> => {
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  const latencies: number[] = [];
  const answers = new Set<string>();
  const ask = async (): Promise<void> => {
    const sent = performance.now();
    const answer = await fetch(url, { headers }).then(
      async (response) => {
        await response.arrayBuffer();
        return String(response.status);
      },
      (error: unknown) => String(error instanceof Error ? (error.cause ?? error) : error),
    );
    latencies.push(performance.now() - sent);
    answers.add(answer);
  };
  const pending: Promise<void>[] = [];
  while (!isOver) {
    // Sent whether or not the request before was answered.
    pending.push(ask());
    await wait(everyMs);
  }
  await Promise.all(pending);
  return { latencies: latencies.toSorted((a, b) => a - b), answers: [...answers] };
};

if (!isMainThread && isAsked(workerData)) parentPort?.postMessage(await probe(workerData), []);
