import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Demand } from './decision.ts';
import { openLedger, type Ledger, type RateCounts } from './ledger.ts';
import { openReplicas, SILENCE_MS, type Replicas } from './replicas.ts';

/*
 * Several replicas as they run, with a clock and a network of the test's own: messages of one replica keep their order, and
 * may be slow, come twice, or not come at all. A request that waits for rights asks again with each piece of news and gives
 * up after a while, as `exchange.ts` does it.
 */

interface Replica {
  id: string;
  ledger: Ledger;
  replicas: Replicas;
  skewMs: number;
  urgent: boolean;
  sentMs: number;
  waiting: { demand: Demand; untilMs: number }[];
  isUp: boolean;
}

/** Requests admitted, by window as the admitting replica named it. */
type Admitted = Map<string, number>;

const NO_TROUBLE = { delayMs: 1, twice: false, lost: false };

class Group {
  nowMs = Date.UTC(2026, 0, 5, 10, 0, 0);
  readonly all: Replica[] = [];
  readonly admitted: Admitted = new Map();
  private network: { atMs: number; from: Replica; to: Replica; message: RateCounts }[] = [];
  /** What the network does to the next message; delay in ms, or lost. */
  private readonly fate: () => { delayMs: number; twice: boolean; lost: boolean };
  private readonly lastLost = new Set<string>();
  natsIsUp = true;

  constructor(fate: Group['fate'] = () => NO_TROUBLE) {
    this.fate = fate;
  }

  start(skewMs = 0): Replica {
    const clock = () => this.nowMs + skewMs;
    const replicas = openReplicas(randomUUID(), clock());
    const replica: Replica = {
      id: replicas.self,
      replicas,
      skewMs,
      urgent: true,
      sentMs: 0,
      waiting: [],
      isUp: true,
      ledger: openLedger({
        replicas,
        onUrgent: () => (replica.urgent = true),
        now: clock,
        steady: () => this.nowMs,
      }),
    };
    this.all.push(replica);
    return replica;
  }

  join(replica: Replica): void {
    replica.replicas.join();
    replica.urgent = true;
  }

  /** Time goes on by one millisecond at a time, as long as anything is on its way. */
  run(ms: number): void {
    for (let i = 0; i < ms; i += 1) {
      this.nowMs += 1;
      const arriving = this.network.filter(({ atMs }) => atMs <= this.nowMs);
      if (arriving.length > 0) {
        this.network = this.network.filter(({ atMs }) => atMs > this.nowMs);
        for (const { to, message } of arriving) if (to.isUp && to.ledger.receive(message)) this.wake(to);
      }
      for (const replica of this.all) {
        if (!replica.isUp) continue;
        const isTick = this.nowMs % 100 === this.all.indexOf(replica) * 7;
        if (isTick) replica.ledger.forget();
        if (replica.urgent || (isTick && (replica.ledger.hasNews() || this.nowMs - replica.sentMs >= 500)))
          this.send(replica);
        if (replica.waiting.some(({ untilMs }) => untilMs <= this.nowMs)) this.wake(replica);
      }
    }
  }

  send(from: Replica, heir?: string): void {
    from.urgent = false;
    from.sentMs = this.nowMs;
    if (!this.natsIsUp) return;
    const gone = heir === undefined ? undefined : { at: this.nowMs + from.skewMs, heir };
    for (const said of from.ledger.news(gone)) {
      const message: RateCounts = { version: 1, ...said };
      for (const to of this.all) {
        const { delayMs, twice, lost } = to === from ? NO_TROUBLE : this.fate();
        // A connection that is up loses little; to lose all would be an outage.
        const isLost = lost && message.gone === undefined && !this.lastLost.has(`${from.id} ${to.id}`);
        if (isLost) this.lastLost.add(`${from.id} ${to.id}`);
        else this.lastLost.delete(`${from.id} ${to.id}`);
        if (isLost) continue;
        // One connection: what was sent later does not arrive earlier.
        const earlier = this.network.filter((one) => one.from === from && one.to === to);
        const atMs = Math.max(this.nowMs + delayMs, ...earlier.map((one) => one.atMs));
        this.network.push({ atMs, from, to, message });
        if (twice) this.network.push({ atMs: atMs + 3, from, to, message });
      }
    }
  }

  request(at: Replica, demand: Demand): void {
    this.decide(at, { demand, untilMs: this.nowMs + 200 });
  }

  private wake(replica: Replica): void {
    const { waiting } = replica;
    replica.waiting = [];
    for (const one of waiting) this.decide(replica, one);
  }

  private decide(at: Replica, waiting: { demand: Demand; untilMs: number }): void {
    const last = waiting.untilMs <= this.nowMs;
    if (last) at.ledger.giveUp([waiting.demand]);
    const outcome = at.ledger.take([waiting.demand], { last });
    if (outcome.kind === 'asking') at.waiting.push(waiting);
    if (outcome.kind !== 'admitted') return;
    const { subject, seconds, cost } = waiting.demand;
    const window = `${subject} ${seconds} ${Math.floor((this.nowMs + at.skewMs) / (seconds * 1000))}`;
    this.admitted.set(window, (this.admitted.get(window) ?? 0) + cost);
  }

  kill(replica: Replica): void {
    replica.isUp = false;
  }

  leave(replica: Replica): void {
    const heir = replica.replicas.heir(this.nowMs + replica.skewMs);
    if (heir !== undefined) this.send(replica, heir);
    replica.isUp = false;
  }
}

const most = (admitted: Admitted): number => Math.max(0, ...admitted.values());
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

const steps = fc.array(
  fc.record({
    at: fc.nat(3),
    requests: fc.nat(30),
    cost: fc.constantFrom(1, 1, 1, 7),
    seconds: fc.constantFrom<(1 | 60)[]>(1, 60),
    ms: fc.constantFrom(0, 1, 5, 40, 150, 400, 4000),
    event: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'none', 'start', 'leave', 'kill'),
  }),
  { minLength: 20, maxLength: 60 },
);
const network = fc.record({
  delays: fc.array(fc.constantFrom(1, 1, 2, 10, 60), { minLength: 1, maxLength: 30 }),
  twice: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
  lost: fc.array(fc.constantFrom(false, false, false, true), { minLength: 1, maxLength: 11 }),
});

describe('3.15 replicas', () => {
  test(`together never admit more than the limit, with whatever the network loses, repeats and delays, while replicas come, leave and are killed (SEED=${seed})`, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.integer({ min: -300, max: 300 }), { minLength: 1, maxLength: 3 }),
        steps,
        network,
        (limit, skews, script, { delays, twice, lost }) => {
          let sent = 0;
          // A lost greeting is a partition: that is another test.
          let isSettling = true;
          const group = new Group(() => {
            sent += 1;
            return {
              delayMs: delays[sent % delays.length] ?? 1,
              twice: twice[sent % twice.length] ?? false,
              lost: !isSettling && (lost[sent % lost.length] ?? false),
            };
          });
          const join = (skewsOf: readonly number[]): void => {
            isSettling = true;
            const joining = skewsOf.map((skewMs) => group.start(skewMs));
            group.run(150);
            for (const one of joining) group.join(one);
            group.run(61);
            isSettling = false;
          };
          join(skews);
          for (const { at, requests, cost, seconds, ms, event } of script) {
            const up = group.all.filter(({ isUp }) => isUp);
            const one = up[at % up.length];
            if (one === undefined) break;
            for (let i = 0; i < requests; i += 1)
              group.request(one, { subject: 'a', seconds, limit, cost: Math.min(cost, limit) });
            if (event === 'start' && up.length < 4) join([0]);
            if (event === 'leave' && up.length > 1) group.leave(one);
            if (event === 'kill' && up.length > 1) group.kill(one);
            group.run(ms);
          }
          expect(most(group.admitted)).toBeLessThanOrEqual(limit);
        },
      ),
      { seed, numRuns: 300 },
    );
  });

  const settled = (count: number): Group => {
    const group = new Group();
    for (let i = 0; i < count; i += 1) group.start();
    group.run(150);
    for (const one of group.all) group.join(one);
    // In a window in which they all have a share.
    group.run(65_000 - 150);
    return group;
  };
  const limited = (limit: number, seconds: 1 | 60 = 1): Demand => ({ subject: 'a', seconds, limit, cost: 1 });

  test.each([1, 2, 3, 5])('with traffic on only one of %i, that one admits the whole limit', (count) => {
    const group = settled(count);
    const [one] = group.all;
    if (one === undefined) throw new Error('no replica');
    for (let i = 0; i < 60; i += 1) group.request(one, limited(40));
    group.run(300);
    expect([...group.admitted.values()]).toEqual([40]);
  });

  test('with traffic on all, each gets its part and together they admit the whole limit', () => {
    const group = settled(3);
    for (let ms = 0; ms < 900; ms += 1) {
      for (const replica of group.all) group.request(replica, limited(40));
      group.run(1);
    }
    expect([...group.admitted.values()]).toEqual([40]);
  });

  test('without NATS they keep the limit, each with its share, and nobody waits', () => {
    const group = settled(2);
    group.natsIsUp = false;
    group.run(SILENCE_MS * 3);
    const nowMs = group.nowMs;
    for (const replica of group.all) for (let i = 0; i < 60; i += 1) group.request(replica, limited(40, 60));
    expect(group.nowMs).toBe(nowMs);
    expect([...group.admitted.values()]).toEqual([40]);
    expect(group.all.flatMap(({ waiting }) => waiting)).toEqual([]);
  });

  test('one that stops in order leaves what it had to another; one that is killed takes it along until the window ends', () => {
    const group = settled(2);
    const [stays, goes] = group.all;
    if (stays === undefined || goes === undefined) throw new Error('no replicas');
    for (let i = 0; i < 5; i += 1) group.request(goes, limited(40, 60));
    group.leave(goes);
    group.run(10);
    for (let i = 0; i < 60; i += 1) group.request(stays, limited(40, 60));
    expect(most(group.admitted)).toBe(40);

    const other = settled(2);
    const [lives, dies] = other.all;
    if (lives === undefined || dies === undefined) throw new Error('no replicas');
    other.kill(dies);
    for (let i = 0; i < 60; i += 1) other.request(lives, limited(40, 60));
    other.run(300);
    expect([...other.admitted.values()]).toEqual([20]);
    other.admitted.clear();
    other.run(60_000);
    for (let i = 0; i < 60; i += 1) other.request(lives, limited(40, 60));
    expect([...other.admitted.values()]).toEqual([40]);
  });

  test('a key’s own limit is not passed by another replica’s requests that have a higher one, once they are told', () => {
    const group = settled(2);
    const [a, b] = group.all;
    if (a === undefined || b === undefined) throw new Error('no replicas');
    for (let i = 0; i < 45; i += 1) group.request(a, { ...limited(100), limit: 100 });
    group.run(120);
    for (let i = 0; i < 45; i += 1) group.request(b, limited(40));
    group.run(300);
    expect([...group.admitted.values()]).toEqual([45]);
  });
});
