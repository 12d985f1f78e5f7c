import { beforeEach, expect, test } from 'vitest';
import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import { gradersFor } from '../../test/graders.ts';
import { exam, longQuestion, typedAnswer, within } from '../../test/requests.ts';

const server = closedAfterTests(await startModelServer());
beforeEach(() => server.reset());

const RUNS = 6;
const QUESTIONS = 5;

/**
 * Makes all calls of some runs at once. The endpoint holds its answers until `places` calls have arrived; the other
 * calls then wait.
 * @returns question and institute of each call, in the order at the server
 */
const askedInOrder = async (places: number, instituteOf: (run: number) => string) => {
  const grader = await gradersFor(server)({ maxConcurrentCalls: places });
  const { promise: all, resolve: allWait } = Promise.withResolvers<void>();
  server.behave(() => ({ kind: 'held', until: all }));
  const judging = Array.from({ length: RUNS }, (_, run) => {
    const options = { ...within(60_000), institute: instituteOf(run) };
    return Array.from({ length: QUESTIONS }, (__, question) =>
      grader.judgeAnswer(
        {
          exam,
          question: longQuestion({ label: String(question + 1) }),
          answer: typedAnswer(`run ${run}: light`),
        },
        options,
      ),
    );
  }).flat();
  await server.waitFor((calls) => calls.length === places);
  allWait();
  await Promise.all(judging);
  return server.calls.map(({ body }) => {
    const asked = JSON.stringify(body['messages']);
    const question = /\{\\\\?"question\\\\?":\\\\?"(\d)/.exec(asked)?.[1] ?? '';
    const run = Number(/run (\d): light/.exec(asked)?.[1]);
    return { question, institute: instituteOf(run) };
  });
};

/** Number of calls that begin differently from the previous call. */
const changesIn = (asked: readonly { question: string }[]): number =>
  asked.filter(({ question }, index) => index > 0 && question !== asked[index - 1]?.question).length;

test.each([1, 2])(
  'waiting calls of an institute for one question follow each other, with %d places',
  async (places) => {
    const asked = await askedInOrder(places, () => 'one institute');
    expect(asked).toHaveLength(RUNS * QUESTIONS);
    // Four is the least possible; the original order has 29.
    expect(changesIn(asked)).toBeLessThanOrEqual(QUESTIONS + places);
  },
);

test('grouping the calls of an institute does not change the turns of institutes', async () => {
  const asked = await askedInOrder(1, (run) => (run % 2 === 0 ? 'a' : 'b'));
  // The original order: five of a run, then five of the next.
  expect(asked.map(({ institute }) => institute).join('')).toBe('aaaaabbbbb'.repeat(RUNS / 2));
});

test('calls of different institutes keep their order', async () => {
  const asked = await askedInOrder(1, String);
  expect(asked.map(({ question }) => question).join('')).toBe('12345'.repeat(RUNS));
  expect(changesIn(asked)).toBe(RUNS * QUESTIONS - 1);
});
