import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secondsLeft, secondsToWait } from './estimates.ts';

const PACE = { busySecondsPerRun: 10, averageSeconds: 90, waitingInstitutes: 3 };

describe('secondsToWait', () => {
  test.each([
    ['the next run takes the duration of a run', 0, PACE, 90],
    ['each run ahead costs one turn of every waiting institute', 5, PACE, 5 * 3 * 10 + 90],
    ['an institute alone waits for its own runs only', 5, { ...PACE, waitingInstitutes: 1 }, 5 * 10 + 90],
    [
      'an institute that the measurement missed counts itself',
      5,
      { ...PACE, waitingInstitutes: 0 },
      5 * 10 + 90,
    ],
    ['without a measurement runs take a minute each, one after the other', 5, null, 6 * 60],
    ['the minimum is 30 seconds', 0, { ...PACE, averageSeconds: 2 }, 30],
  ])('%s', (_name, ahead, pace, seconds) => {
    expect(secondsToWait(ahead, pace)).toBe(seconds);
  });
});

describe('secondsLeft', () => {
  test.each([
    ['a run that starts takes the duration of a run', 0, PACE, 90],
    ['the elapsed time is subtracted', 25, PACE, 65],
    ['a late run always has 30 seconds left', 500, PACE, 30],
    ['without a measurement a run takes a minute', 20, null, 40],
  ])('%s', (_name, running, pace, seconds) => {
    expect(secondsLeft(running, pace)).toBe(seconds);
  });
});

test('estimates are at least 30 seconds and grow with the runs ahead, for any measurement', () => {
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
