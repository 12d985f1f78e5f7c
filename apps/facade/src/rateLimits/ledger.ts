import type { ControlMessages } from '@evaluation/lanes';
import { standingOf, tightestOf, type Demand, type Outcome, type Place, type Standing } from './decision.ts';
import type { Gone, Replicas } from './replicas.ts';
import {
  merge,
  newCounter,
  newTally,
  rightsOf,
  totalOf,
  type Counter,
  type Tally,
  type Window,
  type WindowSeconds,
} from './window.ts';

/*
 * Rate limits of several replicas that together keep to one limit (spec 8.2, design 3.15).
 *
 * Each window of each key or institute is a purse that is shared out in advance: of a limit L, each of n replicas may admit
 * L/n by itself (`shareOf`). A replica that has used up its rights asks the others, and each gives up to half of what it has
 * left; the replica that asked holds the request meanwhile (`exchange.ts`). So what all admit together never passes L,
 * however fast the requests come, while a replica that gets all of the traffic is given nearly all of L.
 *
 * State: windows by length and start, in each a counter for each subject: what every replica has used and given away.
 * Changed by: `take` (a request here), `receive` (a message of another replica) and time (windows end).
 * Only a replica itself changes its own numbers; they only grow, and others take the highest they have heard. So a message
 * that comes twice, late or never corrupts nothing: what it said comes again with the next news of that counter.
 *
 * When this process dies: what it counted goes with it, and what it had left is lost to the others until the window ends;
 * when it stops in order, an heir gets it. Who the replicas are, and what an outage does: `replicas.ts`.
 * Clocks: a window is named by its start, so replicas whose clocks differ still add up the same window; windows further off
 * than SKEW_MS are ignored, and a replica with such a clock is left with its share.
 */

export type RateCounts = ControlMessages['rate_counts'];

export type Said = Omit<RateCounts, 'version'>;

export interface Ledger {
  /**
   * Checks a request against all of its windows, and counts it in all of them or in none.
   * @param options.hold count nothing for good: `count` or `release` what was held later
   * @param options.last do not ask others any more
   */
  take(demands: readonly Demand[], options?: { hold?: boolean; last?: boolean }): Outcome;
  count(held: readonly Place[]): void;
  release(held: readonly Place[]): void;
  tightest(places: readonly Place[]): Standing | null;
  /** Nobody answered in time: these windows ask no more until somebody is heard. */
  giveUp(demands: readonly Demand[]): void;
  /** @returns whether anything changed that a held request waits for */
  receive(message: RateCounts): boolean;
  /**
   * What is new since the last call: of this replica, and, where one is new that knows nothing, of those that are gone.
   * @param gone with the last words of this replica
   */
  news(gone?: Said['gone']): Said[];
  hasNews(): boolean;
  /** Time went on: replicas that are silent are forgotten. */
  forget(): void;
  /** News was lost on its way: it is news again. */
  sayAgain(): void;
  /** Counters now held in memory. */
  size(): number;
}

/** How far clocks of replicas may differ and windows still be shared beyond the fixed share. */
export const SKEW_MS = 2_000;
/** Some 300 bytes each. Beyond it new subjects are not limited: real keys only get here, so it is never reached. */
export const MAX_COUNTERS = 200_000;

export interface LedgerOptions {
  replicas: Replicas;
  /** Called when there is news that others wait for. */
  onUrgent: () => void;
  /** Wall clock, ms since 1970; and one that never jumps. */
  now?: () => number;
  steady?: () => number;
  maxCounters?: number;
}

export const openLedger = ({
  replicas,
  onUrgent,
  now = Date.now,
  steady = () => performance.now(),
  maxCounters = MAX_COUNTERS,
}: LedgerOptions): Ledger => {
  const windows: Record<WindowSeconds, Map<number, Window>> = { 1: new Map(), 60: new Map() };
  let tellOfGone = false;
  let changed = new Map<Counter, { window: Window; subject: string }>();

  const size = (): number => {
    let counters = 0;
    for (const some of [windows[1], windows[60]])
      for (const window of some.values()) counters += window.counters.size;
    return counters;
  };

  const windowAt = (seconds: WindowSeconds, startMs: number): Window => {
    const found = windows[seconds].get(startMs);
    if (found !== undefined) {
      if (found.version !== replicas.version()) {
        found.sharing = replicas.sharing(startMs);
        found.version = replicas.version();
      }
      return found;
    }
    const nowMs = now();
    for (const some of [windows[1], windows[60]])
      for (const [start, window] of some)
        if (isFarOff(window.startMs, window.endMs, nowMs)) some.delete(start);
    const window: Window = {
      seconds,
      startMs,
      endMs: startMs + seconds * 1000,
      sharing: replicas.sharing(startMs),
      version: replicas.version(),
      counters: new Map(),
    };
    windows[seconds].set(startMs, window);
    return window;
  };

  const counterOf = (window: Window, subject: string): Counter | null => {
    const found = window.counters.get(subject);
    if (found !== undefined) return found;
    if (size() >= maxCounters) return null;
    const counter = newCounter();
    window.counters.set(subject, counter);
    return counter;
  };

  const tell = (window: Window, subject: string, counter: Counter, urgent: boolean): void => {
    changed.set(counter, { window, subject });
    if (urgent) onUrgent();
  };

  const sayAgain = (): void => {
    for (const some of [windows[1], windows[60]])
      for (const window of some.values())
        for (const [subject, counter] of window.counters)
          if (counter.own.used > 0 || counter.own.given.size > 0) changed.set(counter, { window, subject });
  };

  /** For one that knows nothing yet, neither us nor what was counted, by us and by those that are gone. */
  const tellAll = (): void => {
    sayAgain();
    tellOfTheGone();
  };

  const tellOfTheGone = (): void => {
    tellOfGone = true;
    onUrgent();
  };

  const add = ({ window, subject, counter, cost }: Place): void => {
    counter.own.used += cost;
    tell(window, subject, counter, false);
  };

  /** Whether others may give what lacks here. */
  const isHelped = (counter: Counter, limit: number, cost: number): boolean =>
    counter.asked !== 'unanswered' &&
    totalOf(counter) + cost <= limit &&
    replicas.isLinked(steady()) &&
    replicas.others().some((id) => counter.others.get(id)?.dry !== true);

  const ask = (window: Window, subject: string, counter: Counter, limit: number, cost: number): void => {
    if (counter.asked !== 'no') return;
    counter.asked = 'open';
    // Half a share at once, so that a burst does not ask for each request.
    counter.wants = { amount: Math.max(cost, Math.ceil(limit / (2 * window.sharing.length))), limit };
    tell(window, subject, counter, true);
  };

  /** Gives up to half of what is left here, so that requests that come here need not wait. */
  const give = (
    window: Window,
    counter: Counter,
    to: string,
    wants: { amount: number; limit: number },
  ): void => {
    counter.askedUnder = wants.limit;
    const rights = rightsOf(window, counter, replicas.estate(), wants.limit);
    const part = Math.ceil(wants.amount / Math.max(1, replicas.others().length));
    const amount = Math.min(part, rights, Math.max(1, Math.floor(rights / 2)));
    if (amount > 0) counter.own.given.set(to, (counter.own.given.get(to) ?? 0) + amount);
  };

  const ofGone = ({ id, since, at, heir }: Gone, nowMs: number): Said => ({
    replica: id,
    since,
    gone: { at, ...(heir === undefined ? {} : { heir }) },
    windows: [...windows[1].values(), ...windows[60].values()].flatMap((window) =>
      isFarOff(window.startMs, window.endMs, nowMs)
        ? []
        : [...window.counters].flatMap(([subject, { others }]) => {
            const tally = others.get(id);
            return tally === undefined ? [] : [rowOf(window, subject, tally)];
          }),
    ),
  });

  return {
    size,
    hasNews: () => changed.size > 0,
    forget() {
      // One that is new may never have heard of it.
      if (replicas.forget(steady(), now())) tellOfTheGone();
    },
    sayAgain,
    take(demands, { hold = false, last = false } = {}) {
      const nowMs = now();
      const estate = replicas.estate();
      const places: Place[] = [];
      let refusing: { window: Window; standing: Standing } | null = null;
      const short: (() => void)[] = [];
      for (const demand of demands) {
        const { subject, seconds, limit, cost } = demand;
        const window = windowAt(seconds, nowMs - (nowMs % (seconds * 1000)));
        const counter = counterOf(window, subject);
        if (counter === null) continue;
        places.push({ ...demand, window, counter });
        if (limit === null) continue;
        const left = limit - totalOf(counter);
        if (left >= cost && rightsOf(window, counter, estate, limit) >= cost) continue;
        if (!last && isHelped(counter, limit, cost)) {
          short.push(() => ask(window, subject, counter, limit, cost));
        } else if (refusing === null || window.endMs > refusing.window.endMs) {
          refusing = { window, standing: standingOf(window, limit, Math.min(left, cost - 1), nowMs) };
        }
      }
      if (refusing !== null) return { kind: 'refused', by: refusing.standing };
      if (short.length > 0) {
        for (const askNow of short) askNow();
        return { kind: 'asking' };
      }
      for (const place of places) {
        if (hold) place.counter.held += place.cost;
        else add(place);
      }
      return { kind: 'admitted', tightest: tightestOf(places, nowMs), places };
    },
    count(held) {
      for (const place of held) {
        place.counter.held -= place.cost;
        add(place);
      }
    },
    release(held) {
      for (const { counter, cost } of held) counter.held -= cost;
    },
    tightest: (places) => tightestOf(places, now()),
    giveUp(demands) {
      const nowMs = now();
      for (const { subject, seconds } of demands) {
        const counter = windows[seconds].get(nowMs - (nowMs % (seconds * 1000)))?.counters.get(subject);
        if (counter?.asked === 'open') counter.asked = 'unanswered';
      }
    },
    receive(message) {
      const { replica } = message;
      if (replica === replicas.self) {
        if (message.gone !== undefined) return false;
        // What was said during an outage was said to nobody.
        if (replicas.echo(steady())) tellAll();
        return false;
      }
      if (message.gone === undefined && replicas.heard(replica, message, steady())) tellAll();
      const nowMs = now();
      for (const row of message.windows) {
        const [startMs, endMs] = [row.start * 1000, (row.start + row.seconds) * 1000];
        if (row.start % row.seconds !== 0 || isFarOff(startMs, endMs, nowMs)) continue;
        const window = windowAt(row.seconds, startMs);
        const counter = counterOf(window, row.subject);
        if (counter === null) continue;
        let tally = counter.others.get(replica);
        if (tally === undefined) counter.others.set(replica, (tally = newTally()));
        merge(tally, row);
        counter.asked = 'no';
        if (row.wants !== undefined && replicas.hasJoined()) {
          give(window, counter, replica, row.wants);
          tell(window, row.subject, counter, true);
        }
      }
      if (message.gone !== undefined) replicas.went({ id: replica, since: message.since, ...message.gone });
      return message.windows.length > 0;
    },
    news(gone) {
      // The heir counts on having heard all of it.
      if (gone !== undefined) sayAgain();
      const rows = changed;
      changed = new Map();
      const nowMs = now();
      const own = [...rows].flatMap(([counter, { window, subject }]) => {
        if (isFarOff(window.startMs, window.endMs, nowMs)) return [];
        const { wants, askedUnder } = counter;
        counter.wants = null;
        counter.own.dry =
          askedUnder !== null && rightsOf(window, counter, replicas.estate(), askedUnder) <= 0;
        return [{ ...rowOf(window, subject, counter.own), ...(wants === null ? {} : { wants }) }];
      });
      const said: Said[] = [
        {
          replica: replicas.self,
          ...replicas.own(),
          windows: own,
          ...(gone === undefined ? {} : { gone }),
        },
      ];
      if (!tellOfGone) return said;
      tellOfGone = false;
      return [...said, ...replicas.gone().map((one) => ofGone(one, nowMs))];
    },
  };
};

const rowOf = (window: Window, subject: string, tally: Tally) => ({
  subject,
  seconds: window.seconds,
  start: window.startMs / 1000,
  used: tally.used,
  ...(tally.given.size === 0 ? {} : { given: Object.fromEntries(tally.given) }),
  ...(tally.dry ? { dry: true } : {}),
});

const isFarOff = (startMs: number, endMs: number, nowMs: number): boolean =>
  endMs + SKEW_MS <= nowMs || startMs - SKEW_MS >= nowMs;
