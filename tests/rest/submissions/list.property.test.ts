import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { createExam, submit } from '../../harness/api.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectOk, newTenant, type Tenant } from '../../harness/tenant.ts';

/* Clients page through the feed, an exam's submissions and its results while these change. */

const { service } = await restSuite();

/** A change of a submission between two pages; `at` selects the submission. */
const change = fc.record({
  kind: fc.constantFrom('cancel', 're-evaluate', 'replace', 'delete', 'create', 'nothing'),
  at: fc.nat(),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

const ANSWERS = [{ question_label: '2', text: 'Because.' }];

interface Row {
  id: string;
  shown: object;
}
interface Page {
  data: ({ id: string } | { submission_id: string })[];
  next_cursor: string | null;
}
const rowOf = (row: Page['data'][number]): Row => {
  const { queue: _queue, progress: _progress, ...shown }: Record<string, unknown> = { ...row };
  return { id: 'id' in row ? row.id : row.submission_id, shown };
};

const LISTS: [name: string, path: (examId: string) => string][] = [
  ['the feed', () => '/submissions'],
  ['the submissions of an exam', (examId) => `/exams/${examId}/submissions`],
  ['the results of an exam', (examId) => `/exams/${examId}/results`],
];

test.each(LISTS)(
  'a pass through %s during changes misses no submission, and shows an unchanged one once',
  async (_name, pathOf) => {
    let changedRuns = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 4, max: 8 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
        async (count, limit, between) => {
          // The feed covers a whole institute, so each run has its own institute.
          const tenant = await newTenant(service);
          const { api } = tenant;
          const exam = await createExam(api, typedExam([mcq('1'), longAnswer('2')]));
          const made = await Promise.all(
            Array.from({ length: count }, (_, index) =>
              submit(api, exam.id, { candidate: { external_id: `c${index}` }, answers: ANSWERS }),
            ),
          );
          const read = async (query: string): Promise<Page> =>
            expectOk(await api.get<Page>(`${pathOf(exam.id)}?${query}`));

          // The query stays the same across the pages of a pass, as clients are told to do.
          const since = `limit=${limit}&updated_since=2000-01-01T00:00:00Z`;
          const changed = new Set<string>();
          const seen: Row[] = [];
          let cursor: string | null = null;
          for (let pages = 0; pages === 0 || cursor !== null; pages += 1) {
            const page = await read(cursor === null ? since : `${since}&cursor=${cursor}`);
            seen.push(...page.data.map(rowOf));
            expect(pages, 'the pass ends').toBeLessThan(100);
            cursor = page.next_cursor;
            for (const [index, what] of (cursor === null ? [] : (between[pages] ?? [])).entries()) {
              for (const id of await make(tenant, exam.id, made, what, `${pages} ${index}`)) changed.add(id);
            }
          }

          if (changed.size > 0) changedRuns += 1;
          for (const { id } of made) {
            if (!changed.has(id)) expect(seen.filter((row) => row.id === id)).toHaveLength(1);
          }
          // The last row of each id must equal the current state.
          const last = new Map(seen.map((row) => [row.id, row]));
          const now = (await read('limit=50')).data.map(rowOf);
          expect(now.map(({ id }) => last.get(id))).toEqual(now);
        },
      ),
      { numRuns: 8 },
    );
    expect(changedRuns).toBeGreaterThan(3);
  },
);

/** @returns the ids of the submissions that it changed or may have changed */
const make = async (
  { api }: Tenant,
  examId: string,
  made: readonly Submission[],
  { kind, at }: Change,
  name: string,
): Promise<string[]> => {
  const row = made[at % made.length];
  if (row === undefined) return [];
  switch (kind) {
    case 'cancel':
    case 're-evaluate':
      await api.post(`/submissions/${row.id}/${kind}`);
      return [row.id];
    case 'delete':
      await api.delete(`/submissions/${row.id}`);
      return [row.id];
    case 'replace':
      await submit(api, examId, { candidate_id: row.candidate.id, answers: ANSWERS, replace: true });
      return [row.id];
    case 'create':
      await submit(api, examId, { candidate: { external_id: `new ${name}` }, answers: ANSWERS });
      return [];
    default:
      return [];
  }
};
