import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../../tests/harness/api.ts';

interface Target {
  api: ApiClient;
  examId: string;
}

const CLIENTS = 20;
const ROUNDS = 5;
const POSTS_A_ROUND = 100;

/** Submits for a new candidate; repeats while the service answers 503, as a client does. */
export const postSubmission = async ({ api, examId }: Target): Promise<void> => {
  const submission = {
    candidate: { external_id: `new-${randomUUID()}` },
    answers: [{ question_label: '1', text: 'Because of this, and because of that.' }],
  };
  let { status, body } = await api.post(`/exams/${examId}/submissions`, submission);
  while (status === 503) ({ status, body } = await api.post(`/exams/${examId}/submissions`, submission));
  if (status !== 202) throw new Error(`POST /submissions answered ${status}: ${JSON.stringify(body)}`);
};

/** Median accepts per second of each target; the targets are loaded one after the other, in rounds. */
export const acceptsPerSecond = async (targets: readonly Target[]): Promise<number[]> => {
  const rates = targets.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, target] of targets.entries()) {
      const started = performance.now();
      let left = POSTS_A_ROUND;
      await Promise.all(
        Array.from({ length: CLIENTS }, async () => {
          while (left > 0) {
            left -= 1;
            await postSubmission(target);
          }
        }),
      );
      rates[index]?.push((POSTS_A_ROUND * 1000) / (performance.now() - started));
    }
  }
  return rates.map((each) => each.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0);
};
