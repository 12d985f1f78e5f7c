import type { ModelCallRecord, ModelServer, Truth } from '@evaluation/test-services';
import { expect } from 'vitest';
import { copyTruth, type CopyName } from '../fixtures/fixtures.ts';

export const truthOf = (name: CopyName): Truth => ({
  pagesByNumber: Object.fromEntries(
    copyTruth(name).pages.map(({ page, blocks }) => [
      page,
      {
        blocks: blocks.map(({ label, text, box, crossed_out, continues }) => ({
          label: continues ? null : label,
          text,
          box,
          crossedOut: crossed_out,
          continues,
        })),
      },
    ]),
  ),
});

/** Name of a call from its prompt: `pages 5` (first page of the batch), `alignment`, `rubric 7(a)`, `question 7(a)`. */
export const nameOfCall = ({ schemaName, body }: ModelCallRecord): string => {
  const prompt = JSON.stringify(body);
  if (schemaName === 'read_pages') return `pages ${/"Page (\d+)"/.exec(prompt)?.[1] ?? '?'}`;
  if (schemaName === 'align_answers') return 'alignment';
  const kind = schemaName === 'make_rubric' ? 'rubric' : 'question';
  return `${kind} ${/Question \{\\"question\\":\\"(.+?)\\"/.exec(prompt)?.[1] ?? '?'}`;
};

export const named = (calls: readonly ModelCallRecord[]): string[] => calls.map(nameOfCall);

/** Makes the model answer the calls that `answers` accepts, and never answer the others. */
export const answerOnly = (model: ModelServer, answers: (name: string, earlier: number) => boolean): void => {
  const seen = new Map<string | null, number>();
  model.behave((call) => {
    const earlier = seen.get(call.schemaName) ?? 0;
    seen.set(call.schemaName, earlier + 1);
    return answers(nameOfCall(call), earlier) ? { kind: 'answer' } : { kind: 'hang' };
  });
};

/**
 * Checks that no call was made twice, except those under way when the worker died (docs/architecture.md#runs).
 * @param atDeath number of calls and stored outcomes when the worker was dead
 */
export const expectPaidOnce = (
  model: ModelServer,
  atDeath: { calls: number; recorded: readonly string[] },
): { repeated: string[] } => {
  const before = named(model.calls.slice(0, atDeath.calls));
  const after = named(model.calls.slice(atDeath.calls));
  expect(new Set(before).size, 'no call was made twice before').toBe(before.length);
  expect(new Set(after).size, 'no call was made twice after').toBe(after.length);
  expect(
    after.filter((name) => atDeath.recorded.includes(name)),
    'what was stored is not asked for again',
  ).toEqual([]);
  expect(before.filter((name) => !after.includes(name)).toSorted(), 'what was not stored is').toEqual(
    atDeath.recorded.filter((name) => before.includes(name)).toSorted(),
  );
  return { repeated: after.filter((name) => before.includes(name)) };
};
