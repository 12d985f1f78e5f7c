import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { startService } from '../../../tests/harness/service.ts';
import { openInstitutes } from './institutes.ts';
import { readOperations } from './document.ts';
import { intentsOf } from './intents.ts';
import { runFuzz } from './run.ts';
import { smallestWith } from './smallest.ts';

/* Generated requests (docs/proofs.md#generated-requests). FUZZ_SEED=… and FUZZ_REQUESTS=… for others and more. */

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 250);

const service = closedAfterTests(
  await startService({ COPY_CONCURRENCY: '0', TYPED_CONCURRENCY: '0', DRAW_CONCURRENCY: '0' }),
);

test(
  'every generated request gets a documented answer of its schema, and nothing of another institute',
  async () => {
    const rich = { credits: 10_000_000, dailyCopyQuota: 1_000_000 };
    const { api, instituteId } = await service.newInstitute(rich);
    const { api: other } = await service.newInstitute(rich);
    const { api_key } = await service.control
      .as({})
      .control.createKey.mutate({ institute_id: instituteId, scopes: ['evaluation:read'] });
    const reader = { ...api, apiKey: api_key };
    const report = await runFuzz(await openInstitutes({ api, reader, other }), SEED, REQUESTS);
    expect(report.faults, `repeat: npm run fuzz -- --seed ${SEED} --requests ${REQUESTS}`).toEqual([]);
    expect(report.sent).toBe(REQUESTS);
  },
  120_000 + REQUESTS * 50,
);

test('a request with a fault is shown without the parts that the fault does not need', async () => {
  const [drawn] = fc.sample(intentsOf(readOperations().slice(0, 1)), { seed: SEED, numRuns: 1 });
  if (drawn === undefined) throw new Error('nothing drawn');
  const given = {
    ...drawn,
    ids: 'foreign' as const,
    headers: { accept: '*', 'x-request-id': 'a' },
    query: { limit: '-1', cursor: 'x' },
    body: { kind: 'text' as const, text: 'some } text' },
  };
  const smallest = await smallestWith(given, ({ body, query }) =>
    Promise.resolve(body.kind === 'text' && body.text.includes('}') && 'limit' in query),
  );
  expect(smallest).toMatchObject({ ids: 'own', headers: {}, query: { limit: '-1' }, body: { text: '}' } });
  expect(await smallestWith(given, () => Promise.resolve(false))).toBeNull();
});
