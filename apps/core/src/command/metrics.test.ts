import { expect, test } from 'vitest';
import { metrics } from '@evaluation/platform/telemetry';
import { countQuestions } from './metrics.ts';

test('countQuestions counts questions of a run by status, without those marked by their key', async () => {
  const effects: (() => Promise<void>)[] = [];
  const committed = {
    afterCommit: async (effect: () => Promise<void>): Promise<void> => void effects.push(effect),
  };
  const question = (status: string, source: 'ai' | 'auto' | null = null) => ({
    question_id: status,
    status,
    source,
    needs_review: false,
    error: null,
  });
  const counted = async (): Promise<unknown> =>
    (await metrics.questionsFinished.get()).values.map(({ labels, value }) => [labels, value]);
  // Other test files of this process have counted too.
  metrics.questionsFinished.reset();
  await countQuestions(committed, 'copy', [
    question('graded', 'ai'),
    question('failed'),
    question('graded', 'auto'),
    question('failed'),
    question('not_answered'),
  ]);
  expect(await counted()).toEqual([]);
  for (const effect of effects) await effect();
  expect(await counted()).toEqual([
    [{ lane: 'copy', status: 'graded' }, 1],
    [{ lane: 'copy', status: 'failed' }, 2],
    [{ lane: 'copy', status: 'not_answered' }, 1],
  ]);
});
