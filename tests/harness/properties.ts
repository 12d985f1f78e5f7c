import * as fc from 'fast-check';

/*
 * Set-up file of Vitest for property tests. All runs use one seed, so that a run of the same commit meets the same
 * values. PROPERTY_SEED takes another number, or `random` for a new seed in each test; a failure prints its seed.
 */

/**
 * Ends a property before the time limit of its test, also while fast-check shrinks a counterexample, which can take
 * hours. A property that is ended before it has tried all values fails.
 */
const LIMIT_MS = 100_000;

const seed = process.env['PROPERTY_SEED'] ?? '1';

fc.configureGlobal({
  interruptAfterTimeLimit: LIMIT_MS,
  markInterruptAsFailure: true,
  ...(seed === 'random' ? {} : { seed: Number(seed) }),
});
