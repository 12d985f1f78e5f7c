import fc from 'fast-check';
import { faultsOf } from './check.ts';
import { readOperations } from './document.ts';
import type { Institutes } from './institutes.ts';
import { intentsOf, type Intent } from './intents.ts';
import { headBytesOf, requestOf, send, type Request } from './send.ts';

export interface FuzzReport {
  seed: number;
  sent: number;
  perSecond: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Successful answers by operation: an operation without any was hardly tested. */
  successes: Record<string, number>;
  /** One example of each kind of fault at each operation. */
  faults: { what: string; times: number; request: Request; answer: string }[];
}

const AT_ONCE = 4;
/** Requests drawn together. The objects are made anew after each, since requests change and delete them. */
const BATCH = 150;

/** @param seed gives the same requests again, but for ids and timing */
export const runFuzz = async (
  institutes: Institutes,
  seed: number,
  requests: number,
): Promise<FuzzReport> => {
  const operations = readOperations();
  const intents = intentsOf(operations);
  const statuses = new Map<string, number>();
  const successes = new Map<string, number>(operations.map(({ name }) => [name, 0]));
  const faults = new Map<string, FuzzReport['faults'][number]>();
  const began = performance.now();
  let sent = 0;

  const one = async (intent: Intent): Promise<void> => {
    const request = requestOf(intent, institutes);
    const answer = await send(request).catch((error: unknown) => String(error));
    if (answer === null) return;
    sent += 1;
    const { name } = intent.operation;
    if (typeof answer !== 'string') {
      statuses.set(String(answer.status), (statuses.get(String(answer.status)) ?? 0) + 1);
      if (answer.status < 300) successes.set(name, (successes.get(name) ?? 0) + 1);
    }
    for (const fault of typeof answer === 'string'
      ? [`gives no answer: ${answer}`]
      : faultsOf(intent.operation, answer, headBytesOf(request))) {
      const what = `${name} ${fault}`;
      const known = faults.get(what);
      if (known !== undefined) known.times += 1;
      else
        faults.set(what, {
          what,
          times: 1,
          request,
          answer: typeof answer === 'string' ? '' : answer.text.slice(0, 2_000),
        });
    }
  };

  for (let batch = 0; sent < requests; batch += 1) {
    if (batch > 0) await institutes.renew();
    const drawn = fc.sample(intents, { seed: seed + batch, numRuns: BATCH }).slice(0, requests - sent);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = drawn.pop(); next !== undefined; next = drawn.pop()) await one(next);
      }),
    );
  }
  return {
    seed,
    sent,
    perSecond: Math.round(sent / ((performance.now() - began) / 1000)),
    statuses: Object.fromEntries([...statuses].toSorted(([a], [b]) => a.localeCompare(b))),
    successes: Object.fromEntries(successes),
    faults: [...faults.values()],
  };
};
