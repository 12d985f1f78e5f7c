/**
 * `npm run fuzz -- --requests 20000 [--seed 1 --minutes 30 --json FILE]`: sends generated requests to a service that
 * it starts, and checks each answer (docs/proofs.md#generated-requests).
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, chmod, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { coreOverHttp } from '@evaluation/core-client';
import { readStandaloneSettings } from '@evaluation/platform/settings';
import { startStandalone } from '@evaluation/standalone';
import type { Submission } from '@evaluation/rest-contract/schemas';
import {
  apiClient,
  createExam,
  resultOf,
  submit,
  untilOver,
  uploadCopy,
  type ApiClient,
} from '../../tests/harness/api.ts';
import { copyPdf, examBody } from '../../tests/fixtures/fixtures.ts';
import { openInstitutes } from './requests/institutes.ts';
import { runFuzz } from './requests/run.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
    json: { type: 'string' },
  },
});

const NO_LIMIT =
  'key:reads:minute=100000000,institute:reads:second=100000000,key:writes:minute=100000000,key:upload_files:minute=100000000';

const dataDir = await mkdtemp(join(tmpdir(), 'fuzz-'));
// As root, PostgreSQL runs as another account, which must be able to enter the folder.
await chmod(dataDir, 0o711);
const service = await startStandalone(
  readStandaloneSettings({
    DATA_DIR: dataDir,
    PORT: '0',
    CORE_PORT: '0',
    DESK_PORT: '0',
    LOG_LEVEL: 'error',
    RATE_LIMITS_STANDARD: NO_LIMIT,
    UNKNOWN_KEYS_PER_ADDRESS: '1000000',
    UNKNOWN_KEYS_IN_ALL: '1000000',
    COPY_CONCURRENCY: '1',
    TYPED_CONCURRENCY: '0',
    DRAW_CONCURRENCY: '0',
  }),
);
const core = coreOverHttp({ url: service.coreUrl, token: service.installation.tokens.control });
const { control } = core.as({});

const newClients = async (...scopes: Scopes[]): Promise<ApiClient[]> => {
  const { institute_id } = await control.createInstitute.mutate({
    name: 'Fuzz',
    credits: 100_000_000,
    daily_copy_quota: 10_000_000,
  });
  const clients: ApiClient[] = [];
  for (const each of scopes) {
    const { api_key } = await control.createKey.mutate({ institute_id, scopes: each });
    clients.push(apiClient(service.baseUrl, api_key));
  }
  return clients;
};
type Scopes = ('evaluation:read' | 'evaluation:write' | 'evaluation:review' | 'evaluation:finalize')[];
const ALL: Scopes = ['evaluation:read', 'evaluation:write', 'evaluation:review', 'evaluation:finalize'];

/** A copy with a checked copy, for the endpoint that downloads it. The baseline grades it. */
const gradedCopy = async (api: ApiClient): Promise<Submission> => {
  const exam = await createExam(api, examBody('science'));
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: randomUUID() },
    upload_id: await uploadCopy(api, copyPdf('weak')),
  });
  const graded = await untilOver(api, id);
  const { status, checked_copy } = await resultOf(api, id);
  if (!checked_copy.available) throw new Error(`the copy is ${status} and has no checked copy`);
  return graded;
};

try {
  const [api, reader] = await newClients(ALL, ['evaluation:read']);
  const [other] = await newClients(ALL);
  if (api === undefined || reader === undefined || other === undefined) throw new Error('no clients');
  const institutes = await openInstitutes({ api, reader, other, copied: await gradedCopy(api) });
  const report = await runFuzz(
    institutes,
    Number(values.seed),
    Number(values.requests),
    Number(values.minutes),
    (line) => console.error(line),
  );
  const { faults, ...numbers } = report;
  console.log(JSON.stringify(numbers, null, 2));
  for (const fault of faults) console.log(`FAULT ${JSON.stringify(fault, null, 2).slice(0, 6_000)}`);
  console.log(`${faults.length} faults`);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await core.close();
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
}
