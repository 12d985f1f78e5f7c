import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Exam, RegisteredCandidate } from '@evaluation/rest-contract/schemas';
import { createExam } from '../../harness/api.ts';
import { listRegistered } from '../../harness/candidates.ts';
import { mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';

const { tenant } = await restSuite();

/** A change of an exam's candidates between two pages; `at` selects the candidate. */
const change = fc.record({
  kind: fc.constantFrom('rename', 'submit', 'unregister', 'register', 'register_again', 'nothing'),
  at: fc.nat(),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

let serial = 0;

/** @returns external ids of the rows that it changed, added or removed */
const make = async (
  exam: Exam,
  rows: readonly RegisteredCandidate[],
  { kind, at }: Change,
): Promise<string[]> => {
  const row = rows[at % rows.length];
  if (row === undefined) return [];
  const path = `/exams/${exam.id}/candidates`;
  serial += 1;
  switch (kind) {
    case 'rename':
      await tenant.api.post('/candidates', {
        candidates: [{ external_id: row.external_id, name: `Name ${serial}` }],
      });
      return [row.external_id];
    case 'submit':
      // A second submission is refused; the row changed with the first one.
      await tenant.api.post(`/exams/${exam.id}/submissions`, { candidate_id: row.id, answers: [] });
      return [row.external_id];
    case 'unregister':
      await tenant.api.delete(`${path}/${row.id}`);
      return [row.external_id];
    case 'register':
      await tenant.api.post(path, { candidates: [{ external_id: `new ${serial}` }] });
      return [`new ${serial}`];
    case 'register_again':
      // May already be unregistered; then the row has changed anyway.
      await tenant.api.post(path, { candidate_ids: [row.id] });
      return [];
    default:
      return [];
  }
};

test('paging through an exam’s candidates during changes shows each unchanged candidate exactly once', async () => {
  let changedRuns = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.array(change, { maxLength: 3 }), { minLength: 1, maxLength: 8 }),
      async (registered, limit, between) => {
        serial += 1;
        const run = serial;
        // One statement registers all: most rows share a millisecond, so the id decides their order.
        const exam = await createExam(
          tenant.api,
          typedExam([mcq('1')], {
            candidates: Array.from({ length: registered }, (_, index) => ({
              external_id: `${run} ${index}`,
            })),
          }),
        );
        const before = (await listRegistered(tenant.api, exam.id)).data;
        expect(before).toHaveLength(registered);

        const changed = new Set<string>();
        const seen: RegisteredCandidate[] = [];
        let cursor: string | null = null;
        for (let pages = 0; pages === 0 || cursor !== null; pages += 1) {
          const page = await listRegistered(
            tenant.api,
            exam.id,
            `limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
          );
          seen.push(...page.data);
          expect(pages, 'the pass ends').toBeLessThan(100);
          cursor = page.next_cursor;
          for (const step of cursor === null ? [] : (between[pages] ?? [])) {
            for (const externalId of await make(exam, before, step)) changed.add(externalId);
          }
        }

        if (changed.size > 0) changedRuns += 1;
        const unchanged = before.filter(({ external_id }) => !changed.has(external_id));
        expect(seen.filter(({ external_id }) => !changed.has(external_id))).toEqual(unchanged);
        // A changed row comes again at the end, so every candidate was seen in the final state.
        const lastSeen = new Map(seen.map((row) => [row.registration_id, row]));
        const now = (await listRegistered(tenant.api, exam.id)).data;
        expect(now.map((row) => lastSeen.get(row.registration_id))).toEqual(now);
      },
    ),
    { numRuns: 30 },
  );
  expect(changedRuns).toBeGreaterThan(5);
});
