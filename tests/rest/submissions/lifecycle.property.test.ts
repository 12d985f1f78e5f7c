import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { watchFinal } from '../../harness/finalWatch.ts';
import { lookBehind } from '../../harness/ledger.ts';
import { startIdleService } from '../../harness/tenant.ts';
import { unfinishedWork } from '../../model/submissions/invariants.ts';
import { claimOf, completionOf, resolveIntent } from '../../model/submissions/resolveIntent.ts';
import { apply, isActive, submissionOf } from '../../model/submissions/model.ts';
import { observe, predicted, type Observation } from '../../model/submissions/observe.ts';
import type { ModelState, Operation, ModelAnswer } from '../../model/submissions/state.ts';
import { rounds, ALL_OBJECTS, intentsAlone, type Intent } from '../../model/submissions/intents.ts';
import { newWorld, type Funds, type World } from '../../model/submissions/world.ts';

/*
 * Model-based test of the lifecycle of submissions and of finalized exams (docs/api/lifecycle.md): operations in random
 * order, then by two clients and a worker at the same time. The model is tests/model/submissions/model.ts, over the
 * transition table of packages/rules. Triggers check at every change that nothing of a finalized submission changes
 * (tests/harness/finalWatch.ts).
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

const service = closedAfterTests(
  await startIdleService({
    LEASE_SECONDS: '1',
    TICK_MS: '50',
  }),
);
const behind = closedAfterTests(lookBehind(service.database));
// The lease setting is one second. The trigger extends leases, so that they expire only when the test ends them.
await behind.query(`
  create function last_long() returns trigger language plpgsql as $$
  begin
    if new.lease_until > clock_timestamp() then new.lease_until := clock_timestamp() + interval '1 day'; end if;
    return new;
  end $$;
  create trigger last_long before update on runs for each row execute function last_long()`);
const changesOfFinal = await watchFinal(behind);

const funds: fc.Arbitrary<Funds> = fc.record({
  credits: fc.integer({ min: 2, max: 14 }),
  limit: fc.integer({ min: 0, max: 2 }),
  quota: fc.integer({ min: 4, max: 16 }),
});

/** State of the model and of the real service, at the same step. */
interface Progress {
  state: ModelState;
  world: World;
  read(): Promise<Observation>;
  day: string;
}

const begin = async (credits: Funds): Promise<Progress> => {
  const world = await newWorld(service, behind, credits);
  const { read } = observe(behind, world);
  const { day, institute } = await read();
  expect(institute).toEqual(predicted(world.begin));
  return { state: world.begin, world, read, day };
};

/** Checks the invariants that hold after every step. */
const observed = async (progress: Progress): Promise<Observation> => {
  const seen = await progress.read();
  // Discard the run if midnight passed, since the quota was reset.
  fc.pre(seen.day === progress.day);
  expect(seen.violations).toEqual([]);
  return seen;
};

/** Runs one operation alone: its answer and the state after it must equal the model's. */
const step = async (progress: Progress, operation: Operation): Promise<void> => {
  const { state, answer } = apply(progress.state, operation);
  if (answer === 'held' && operation.do === 'claim') {
    await progress.world.release(operation.key, operation.attempt);
  }
  const actual = (await progress.world.perform(operation))();
  const { institute } = await observed(progress);
  expect({ operation, answer: actual, institute }).toEqual({
    operation,
    answer,
    institute: predicted(state),
  });
  progress.state = state;
};

/** Grades all remaining runs as a worker, which shows that no run is lost. */
const drain = async (progress: Progress): Promise<void> => {
  const all = () => Object.values(progress.state.submissions);
  while (all().some(isActive)) {
    const held = all().find(({ run }) => run.state === 'held');
    if (held === undefined) {
      const next = submissionOf(progress.state, await progress.world.nextReleased());
      await step(progress, claimOf(next, progress.world.name));
    } else {
      await step(progress, completionOf(held, 'graded'));
    }
  }
  expect(await unfinishedWork(behind, progress.world.instituteId)).toEqual([]);
  expect(await changesOfFinal()).toEqual([]);
};

const alone = async (progress: Progress, intent: Intent): Promise<void> => {
  const resolved = resolveIntent(progress.state, intent, progress.world.name, true);
  if (resolved === null) return;
  for (const operation of [...resolved.first, resolved.last]) await step(progress, operation);
};

class IntentCommand implements fc.AsyncCommand<{ state: ModelState }, Progress> {
  readonly #intent: Intent;
  constructor(intent: Intent) {
    this.#intent = intent;
  }
  check(model: { state: ModelState }): boolean {
    return resolveIntent(model.state, this.#intent, (kind) => kind, true) !== null;
  }
  async run(model: { state: ModelState }, progress: Progress): Promise<void> {
    await alone(progress, this.#intent);
    model.state = progress.state;
  }
  toString(): string {
    return JSON.stringify(this.#intent);
  }
}

test(
  'operations in any order have the answers, states, credits and quota of the model',
  { timeout },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        funds,
        fc.noBias(
          fc.commands(
            intentsAlone(ALL_OBJECTS).map((arbitrary) =>
              arbitrary.map((intent) => new IntentCommand(intent)),
            ),
            { maxCommands: 60, size: 'max' },
          ),
        ),
        async (credits, commands) => {
          const progress = await begin(credits);
          await fc.asyncModelRun(() => ({ model: { state: progress.state }, real: progress }), commands);
          await drain(progress);
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
        funds,
        fc.noBias(fc.array(rounds, { maxLength: 10, size: 'max' })),
        async (credits, drawn) => {
          const progress = await begin(credits);
          for (const { before, intents } of drawn) {
            for (const intent of before) await alone(progress, intent);
            await atOnce(progress, intents);
          }
          await drain(progress);
        },
      ),
      assertion,
    );
  },
);

const atOnce = async (progress: Progress, intents: readonly Intent[]): Promise<void> => {
  const { world } = progress;
  const batch: Operation[] = [];
  for (const intent of intents) {
    const resolved = resolveIntent(progress.state, intent, world.name, false);
    if (resolved === null) continue;
    for (const operation of resolved.first) await step(progress, operation);
    batch.push(resolved.last);
  }
  for (const operation of batch) {
    if (operation.do === 'claim' && apply(progress.state, operation).answer === 'held')
      await world.release(operation.key, operation.attempt);
  }
  const begun = batch.map((operation) => world.perform(operation));
  await Promise.allSettled(begun);
  const actual = (await Promise.all(begun)).map((say) => say());
  const { institute } = await observed(progress);

  const outcomes = ordersOf(batch.length).map((order) => inOrder(progress.state, batch, order));
  const found = outcomes.find(
    ({ state, answer }) =>
      isDeepStrictEqual(answer, actual) && isDeepStrictEqual(predicted(state), institute),
  );
  if (found === undefined) {
    // No order fits: show the difference from the order in which they were sent.
    const [first] = outcomes;
    expect({ batch, answer: actual, institute }).toEqual({
      batch,
      answer: first?.answer,
      institute: first === undefined ? undefined : predicted(first.state),
    });
    return;
  }
  progress.state = found.state;
};

const inOrder = (before: ModelState, batch: readonly Operation[], order: readonly number[]) => {
  let state = before;
  const answer: ModelAnswer[] = [];
  for (const index of order) {
    const operation = batch[index];
    if (operation === undefined) continue;
    const next = apply(state, operation);
    state = next.state;
    answer[index] = next.answer;
  }
  return { state, answer };
};

const ordersOf = (count: number): number[][] =>
  count === 0
    ? [[]]
    : ordersOf(count - 1).flatMap((order) =>
        Array.from({ length: count }, (_, at) => order.toSpliced(at, 0, count - 1)),
      );
