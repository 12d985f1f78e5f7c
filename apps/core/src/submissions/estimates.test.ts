import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secondsLeft, secondsToWait } from './estimates.ts';

const PACE = { busySecondsPerRun: 10, averageSeconds: 90, waitingInstitutes: 3 };

describe('when a waiting run will be graded', () => {
  test.each([
    ['the next one needs as long as a run does', 0, PACE, 90],
    ['each run ahead is a turn of every institute that waits', 5, PACE, 5 * 3 * 10 + 90],
    ['alone, an institute waits for its own only', 5, { ...PACE, waitingInstitutes: 1 }, 5 * 10 + 90],
    ['measured before it began to wait, it counts itself', 5, { ...PACE, waitingInstitutes: 0 }, 5 * 10 + 90],
    ['unmeasured, a run is taken to need a minute, one after the other', 5, null, 6 * 60],
    ['however fast, never earlier than 30 seconds', 0, { ...PACE, averageSeconds: 2 }, 30],
  ])('%s', (_name, ahead, pace, seconds) => {
    expect(secondsToWait(ahead, pace)).toBe(seconds);
  });
});

describe('when a run that is being graded will be', () => {
  test.each([
    ['at its start it needs what runs need', 0, PACE, 90],
    ['what it has been at it for is behind it', 25, PACE, 65],
    ['late already, it is 30 seconds at every look', 500, PACE, 30],
    ['unmeasured, a run is taken to need a minute', 20, null, 40],
  ])('%s', (_name, running, pace, seconds) => {
    expect(secondsLeft(running, pace)).toBe(seconds);
  });
});

test('whatever was measured, no estimate is earlier than 30 seconds, and more ahead is never sooner', () => {
  const seconds = fc.double({ min: 0, max: 1e6, noNaN: true });
  const pace = fc.option(
    fc.record({ busySecondsPerRun: seconds, averageSeconds: seconds, waitingInstitutes: fc.nat(10_000) }),
  );
  fc.assert(
    fc.property(fc.nat(1_000_000), seconds, pace, (ahead, running, measured) => {
      expect(secondsToWait(ahead, measured)).toBeGreaterThanOrEqual(30);
      expect(secondsLeft(running, measured)).toBeGreaterThanOrEqual(30);
      expect(secondsToWait(ahead + 1, measured)).toBeGreaterThanOrEqual(secondsToWait(ahead, measured));
    }),
  );
});
