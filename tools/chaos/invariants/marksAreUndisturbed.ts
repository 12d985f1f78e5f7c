import { isDeepStrictEqual } from 'node:util';
import type { Result } from '@evaluation/rest-contract/schemas';
import type { Book } from '../clients/book.ts';
import type { RetryingClient } from '../clients/retrying.ts';
import { marksIn } from '../clients/scenarioSteps.ts';

interface Results {
  data: Result[];
  next_cursor: string | null;
  has_more: boolean;
}

/** Every live result has the marks that the model gives without a fault, or the teacher's mark. */
export const marksAreUndisturbed = async (
  client: RetryingClient,
  book: Book,
  examIds: readonly string[],
): Promise<{ compared: number; violations: string[] }> => {
  const violations: string[] = [];
  let compared = 0;
  for (const examId of examIds) {
    for (let cursor = ''; ;) {
      const { body } = await client.get<Results>(`/exams/${examId}/results?limit=50${cursor}`);
      for (const result of body.data) {
        compared += 1;
        const expected = book.marks.get(result.submission_id);
        const found = marksIn(result);
        if (!isDeepStrictEqual(found, expected))
          violations.push(
            `marks of ${result.submission_id} (${result.status}): ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`,
          );
      }
      if (!body.has_more) break;
      cursor = `&cursor=${encodeURIComponent(body.next_cursor ?? '')}`;
    }
  }
  return { compared, violations };
};
