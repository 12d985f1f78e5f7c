import fc from 'fast-check';
import { faultsOf, type Received } from './check.ts';
import { readOperations } from './document.ts';
import type { Institutes } from './institutes.ts';
import { intentsOf, type Intent } from './intents.ts';
import { headBytesOf, requestOf, send, type Request } from './send.ts';
import { smallestWith } from './smallest.ts';

interface FuzzReport {
  seed: number;
  sent: number;
  perSecond: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Successful answers by operation: an operation without any was hardly tested. */
  successes: Record<string, number>;
  /** One example of each kind of fault at each operation. */
  faults: Fault[];
}

interface Fault {
  what: string;
  times: number;
  request: Request;
  answer: string;
  /** The simplest request found with this fault, sent alone; null: the request alone does not have it. */
  smallest: Request | null;
}

const AT_ONCE = 16;
/** Batches between two lines of progress. */
const PROGRESS_EVERY = 20;
/** Requests drawn together. The objects are made anew after each, since requests change and delete them. */
const BATCH = 150;

/**
 * @param seed gives the same requests again, but for ids and timing
 * @param minutes after which no more requests are drawn
 * @param say gets lines of progress
 */
export const runFuzz = async (
  institutes: Institutes,
  seed: number,
  requests: number,
  minutes = Number.POSITIVE_INFINITY,
  say: (line: string) => void = () => {},
): Promise<FuzzReport> => {
  const operations = readOperations();
  const intents = intentsOf(operations);
  const statuses = new Map<string, number>();
  const successes = new Map<string, number>(operations.map(({ name }) => [name, 0]));
  const faults = new Map<string, Fault>();
  const unshrunk: { fault: Fault; intent: Intent }[] = [];
  const began = performance.now();
  let sent = 0;

  const one = async (intent: Intent): Promise<void> => {
    const request = requestOf(intent, institutes);
    const answer = await answerTo(request);
    if (answer === null) return;
    sent += 1;
    const { name } = intent.operation;
    if (typeof answer !== 'string') {
      statuses.set(String(answer.status), (statuses.get(String(answer.status)) ?? 0) + 1);
      if (answer.status < 300) successes.set(name, (successes.get(name) ?? 0) + 1);
    }
    for (const what of namedFaults(intent, request, answer)) {
      const known = faults.get(what);
      if (known !== undefined) {
        known.times += 1;
        continue;
      }
      const text = typeof answer === 'string' ? '' : answer.text.slice(0, 2_000);
      const fault = { what, times: 1, request, answer: text, smallest: null };
      faults.set(what, fault);
      unshrunk.push({ fault, intent });
    }
  };

  const shrink = async ({ fault, intent }: { fault: Fault; intent: Intent }): Promise<void> => {
    const smallest = await smallestWith(intent, async (tried) => {
      await institutes.renew();
      const request = requestOf(tried, institutes);
      const answer = await answerTo(request);
      return answer !== null && namedFaults(tried, request, answer).includes(fault.what);
    });
    if (smallest !== null) fault.smallest = requestOf(smallest, institutes);
  };

  const ratePerSecond = (): number => Math.round(sent / ((performance.now() - began) / 1000));
  const isLate = (): boolean => performance.now() - began > minutes * 60_000;
  for (let batch = 0; sent < requests && !isLate(); batch += 1) {
    if (batch > 0) await institutes.renew();
    const drawn = fc.sample(intents, { seed: seed + batch, numRuns: BATCH }).slice(0, requests - sent);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = drawn.pop(); next !== undefined; next = drawn.pop()) await one(next);
      }),
    );
    for (const each of unshrunk.splice(0)) await shrink(each);
    if (batch % PROGRESS_EVERY === PROGRESS_EVERY - 1)
      say(`${sent} of ${requests} requests, ${ratePerSecond()} a second, ${faults.size} kinds of fault`);
  }
  return {
    seed,
    sent,
    perSecond: ratePerSecond(),
    statuses: Object.fromEntries([...statuses].toSorted(([a], [b]) => a.localeCompare(b))),
    successes: Object.fromEntries(successes),
    faults: [...faults.values()],
  };
};

/** @returns the reason if there is no answer; null for a request that cannot be sent */
const answerTo = (request: Request): Promise<Received | string | null> =>
  send(request).catch((error: unknown) => String(error));

const namedFaults = ({ operation }: Intent, request: Request, answer: Received | string): string[] => {
  const found =
    typeof answer === 'string'
      ? [`gives no answer: ${answer}`]
      : faultsOf(operation, answer, headBytesOf(request));
  return found.map((fault) => `${operation.name} ${fault}`);
};
