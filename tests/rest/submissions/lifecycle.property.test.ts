import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookBehind, type BehindTheApi } from '../../harness/ledger.ts';
import { startIdleService } from '../../harness/tenant.ts';
import type { TestService } from '../../harness/service.ts';
import { whatIsLeft } from '../../model/submissions/invariants.ts';
import { claimOf, gradingOf, meaning } from '../../model/submissions/meaning.ts';
import { apply, isActive, submissionOf } from '../../model/submissions/model.ts';
import { observe, predicted, type Seen } from '../../model/submissions/standing.ts';
import type { ModelState, Operation, Said } from '../../model/submissions/state.ts';
import { rounds, WIDELY, wishesAlone, type Wish } from '../../model/submissions/wishes.ts';
import { newWorld, type Means, type World } from '../../model/submissions/world.ts';

/*
 * Model-based test of the lifecycle of submissions (docs/api/lifecycle.md#submissions): operations in random order,
 * then by two clients and a worker at the same time. The model is tests/model/submissions/model.ts, over the transition
 * table of packages/rules.
 *
 *   SUBMISSION_MODEL_RUNS=500 vitest run tests/rest/submissions/lifecycle.property.test.ts     longer: about a second
 *   per run
 *   SUBMISSION_MODEL_SEED=…                                                          the seed that a failure printed
 *
 * The outcome of simultaneous operations also depends on timing: a seed repeats the operations, not always the outcome.
 */
const RUNS = Number(process.env['SUBMISSION_MODEL_RUNS'] ?? '5');
const SEED = process.env['SUBMISSION_MODEL_SEED'];
/** Leaves time to report a failure, also while fast-check shrinks it. */
const LIMIT_MS = 120_000 + RUNS * 20_000;
const assertion = {
  numRuns: RUNS,
  interruptAfterTimeLimit: LIMIT_MS,
  ...(SEED === undefined ? {} : { seed: Number(SEED) }),
};
const timeout = LIMIT_MS + 30_000;

let service: TestService;
let behind: BehindTheApi;
beforeAll(async () => {
  service = await startIdleService({
    LEASE_SECONDS: '1',
    TICK_MS: '50',
  });
  behind = lookBehind(service.database);
  // The lease setting is one second. The trigger extends leases, so that they expire only when the test ends them.
  await behind.query(`
    create function last_long() returns trigger language plpgsql as $$
    begin
      if new.lease_until > clock_timestamp() then new.lease_until := clock_timestamp() + interval '1 day'; end if;
      return new;
    end $$;
    create trigger last_long before update on runs for each row execute function last_long()`);
});
afterAll(async () => {
  await behind.close();
  await service.close();
});

const means: fc.Arbitrary<Means> = fc.record({
  credits: fc.integer({ min: 2, max: 14 }),
  limit: fc.integer({ min: 0, max: 2 }),
  quota: fc.integer({ min: 4, max: 16 }),
});

/** State of the model and of the real service, at the same step. */
interface Course {
  state: ModelState;
  world: World;
  look(): Promise<Seen>;
  /** UTC day of the begin. */
  day: string;
}

const begin = async (of: Means): Promise<Course> => {
  const world = await newWorld(service, behind, of);
  const { look } = observe(behind, world);
  const { day, standing } = await look();
  expect(standing).toEqual(predicted(world.begin));
  return { state: world.begin, world, look, day };
};

/** Checks the invariants that hold after every step. */
const looked = async (course: Course): Promise<Seen> => {
  const seen = await course.look();
  // Discard the run if midnight passed, since the quota was reset.
  fc.pre(seen.day === course.day);
  expect(seen.broken).toEqual([]);
  return seen;
};

/** Runs one operation alone: its answer and the state after it must equal the model's. */
const step = async (course: Course, operation: Operation): Promise<void> => {
  const { state, said } = apply(course.state, operation);
  if (said === 'held' && operation.do === 'claim') {
    await course.world.putOut(operation.key, operation.attempt);
  }
  const told = (await course.world.perform(operation))();
  const { standing } = await looked(course);
  expect({ operation, said: told, standing }).toEqual({ operation, said, standing: predicted(state) });
  course.state = state;
};

/** Grades all remaining runs as a worker, which shows that no run is lost. */
const drain = async (course: Course): Promise<void> => {
  const all = () => Object.values(course.state.submissions);
  while (all().some(isActive)) {
    const held = all().find(({ run }) => run.state === 'held');
    if (held === undefined) {
      const next = submissionOf(course.state, await course.world.nextOut());
      await step(course, claimOf(next, course.world.name));
    } else {
      for (const operation of gradingOf(held)) await step(course, operation);
    }
  }
  expect(await whatIsLeft(behind, course.world.instituteId)).toEqual([]);
};

const alone = async (course: Course, wish: Wish): Promise<void> => {
  const meant = meaning(course.state, wish, course.world.name, true);
  if (meant === null) return;
  for (const operation of [...meant.first, meant.last]) await step(course, operation);
};

class WishCommand implements fc.AsyncCommand<{ state: ModelState }, Course> {
  readonly #wish: Wish;
  constructor(wish: Wish) {
    this.#wish = wish;
  }
  check(model: { state: ModelState }): boolean {
    return meaning(model.state, this.#wish, (of) => of, true) !== null;
  }
  async run(model: { state: ModelState }, course: Course): Promise<void> {
    await alone(course, this.#wish);
    model.state = course.state;
  }
  toString(): string {
    return JSON.stringify(this.#wish);
  }
}

test(
  'operations in any order have the answers, states, credits and quota of the model',
  { timeout },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        means,
        fc.noBias(
          fc.commands(
            wishesAlone(WIDELY).map((of) => of.map((wish) => new WishCommand(wish))),
            { maxCommands: 60, size: 'max' },
          ),
        ),
        async (of, commands) => {
          const course = await begin(of);
          await fc.asyncModelRun(() => ({ model: { state: course.state }, real: course }), commands);
          await drain(course);
        },
      ),
      assertion,
    );
  },
);

test(
  'simultaneous operations of two clients and a worker have the outcome of some order',
  { timeout },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        means,
        fc.noBias(fc.array(rounds, { maxLength: 10, size: 'max' })),
        async (of, drawn) => {
          const course = await begin(of);
          for (const { before, wishes } of drawn) {
            for (const wish of before) await alone(course, wish);
            await atOnce(course, wishes);
          }
          await drain(course);
        },
      ),
      assertion,
    );
  },
);

const atOnce = async (course: Course, wishes: readonly Wish[]): Promise<void> => {
  const { world } = course;
  const batch: Operation[] = [];
  for (const wish of wishes) {
    const meant = meaning(course.state, wish, world.name, false);
    if (meant === null) continue;
    for (const operation of meant.first) await step(course, operation);
    batch.push(meant.last);
  }
  for (const operation of batch) {
    if (operation.do === 'claim' && apply(course.state, operation).said === 'held')
      await world.putOut(operation.key, operation.attempt);
  }
  const begun = batch.map((operation) => world.perform(operation));
  // Wait for all, also when one fails.
  await Promise.allSettled(begun);
  const told = (await Promise.all(begun)).map((say) => say());
  const { standing } = await looked(course);

  const outcomes = ordersOf(batch.length).map((order) => inOrder(course.state, batch, order));
  const found = outcomes.find(
    ({ state, said }) => isDeepStrictEqual(said, told) && isDeepStrictEqual(predicted(state), standing),
  );
  if (found === undefined) {
    // No order fits: show the difference from the order in which they were sent.
    const [first] = outcomes;
    expect({ batch, said: told, standing }).toEqual({
      batch,
      said: first?.said,
      standing: first === undefined ? undefined : predicted(first.state),
    });
    return;
  }
  course.state = found.state;
};

const inOrder = (before: ModelState, batch: readonly Operation[], order: readonly number[]) => {
  let state = before;
  const said: Said[] = [];
  for (const index of order) {
    const operation = batch[index];
    if (operation === undefined) continue;
    const next = apply(state, operation);
    state = next.state;
    said[index] = next.said;
  }
  return { state, said };
};

const ordersOf = (count: number): number[][] =>
  count === 0
    ? [[]]
    : ordersOf(count - 1).flatMap((order) =>
        Array.from({ length: count }, (_, at) => order.toSpliced(at, 0, count - 1)),
      );
