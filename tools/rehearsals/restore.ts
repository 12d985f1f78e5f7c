import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { coreOverHttp } from '@evaluation/core-client';
import { startNats, startS3, type EmbeddedPostgres } from '@evaluation/embedded';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { readStandaloneSettings } from '@evaluation/platform/settings';
import { startStandalone } from '@evaluation/standalone';
import { startModelServer } from '@evaluation/test-services/model';
import {
  apiClient,
  createExam,
  resultOf,
  submit,
  untilOver,
  uploadCopy,
  type ApiClient,
} from '../../tests/harness/api.ts';
import { handwrittenExam, longAnswer, typedExam } from '../../tests/harness/papers.ts';
import { plainPdf } from '../../tests/harness/pdfs.ts';
import { violationsIn } from '../../tests/model/submissions/invariants.ts';
import { archiveAll, copyCluster, momentOf, onServer, restore, startArchiving } from './pointInTime.ts';

/*
 * A restore by docs/operate/backup.md: a base backup and archived WAL bring PostgreSQL back to the moment T, beside the
 * bucket as it is and an empty nats-server. Submissions accepted before T exist, are graded and add up. Later
 * submissions are missing, and their client sends them again with the same Idempotency-Key.
 */

/** @returns what went wrong */
export const rehearseRestore = async (say: (line: string) => void): Promise<string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'));
  const undo: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    // As root, PostgreSQL runs as another account, which must be able to enter the folder.
    await chmod(folder, 0o711);
    const archive = join(folder, 'archive');
    const data = join(folder, 'postgres');
    let postgres = await startArchiving(data, archive);
    undo.push(() => postgres.close());
    const s3 = await startS3({ dataDir: join(folder, 's3') });
    undo.push(() => s3.close());
    const model = await startModelServer();
    undo.push(() => model.close());
    const startService = async (natsFolder: string) => {
      const nats = await startNats({ dataDir: join(folder, natsFolder) });
      const settings = {
        DATA_DIR: join(folder, 'service'),
        DATABASE_URL: postgres.url,
        NATS_URL: nats.url,
        S3_ENDPOINT: s3.endpoint,
        S3_ACCESS_KEY_ID: s3.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
        PORT: '0',
        CORE_PORT: '0',
        DESK_PORT: '0',
        LOG_LEVEL: 'error',
        LEASE_SECONDS: '3',
        GRADER: 'openai',
        OPENAI_BASE_URL: model.baseUrl,
        MODEL_PREFLIGHT: 'off',
      };
      const service = await startStandalone(readStandaloneSettings(settings));
      const close = async (): Promise<void> => {
        await service.close();
        await nats.close();
      };
      return {
        service,
        api: apiClient(service.baseUrl, service.installation.first_key?.api_key ?? ''),
        close,
      };
    };

    const before = await startService('nats');
    const exams = await openExams(before.api);
    const early = await submitAll(before.api, exams, 'early');
    const marks = await Promise.all(early.map(({ id }) => totalOf(before.api, id)));
    const checkedCopy = await checkedCopyOf(before.api, early[0]?.id ?? '');
    say(`the checked copy has ${checkedCopy} bytes`);
    await copyCluster(postgres, data, join(folder, 'base'));
    say('base backup made');
    const queued = await submitSome(before.api, exams.typed, 'queued', 5);
    const moment = await momentOf(postgres);
    await wait(1_500);
    const late = await sendKeyed(before.api, exams.typed, 'late');
    await untilOver(before.api, late.id);
    await archiveAll(postgres);
    await before.close();
    await postgres.close();
    say(`PostgreSQL lost; restored to ${moment}`);

    postgres = await restore({ folder, data, archive, moment });
    const after = await startService('empty-nats');
    undo.push(() => after.close());
    const wrong: string[] = [];
    const expectSame = (what: string, is: unknown, should: unknown): void => {
      if (JSON.stringify(is) !== JSON.stringify(should))
        wrong.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`);
    };
    expectSame('marks', await Promise.all(early.map(({ id }) => totalOf(after.api, id))), marks);
    for (const { id } of queued)
      expectSame(`run of ${id}`, (await untilOver(after.api, id)).status, 'graded');
    expectSame('the late submission', (await after.api.get(`/submissions/${late.id}`)).status, 404);
    const again = await sendKeyed(after.api, exams.typed, 'late');
    expectSame('the late submission, sent again', (await untilOver(after.api, again.id)).status, 'graded');
    expectSame('the checked copy', await checkedCopyOf(after.api, early[0]?.id ?? ''), checkedCopy);

    const core = coreOverHttp({
      url: after.service.coreUrl,
      token: after.service.installation.tokens.control,
    });
    try {
      const { findings } = await core.as({}).control.reconcile.query({});
      expectSame('reconcile', findings, []);
    } finally {
      await core.close();
    }
    const instituteId = after.service.installation.first_key?.institute_id ?? '';
    expectSame('the tables', await violations(postgres, instituteId), []);
    say(`${early.length + queued.length} submissions from before the moment are there, graded, and add up`);
    return wrong;
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

interface Exams {
  typed: string;
  copies: string;
}

const openExams = async (api: ApiClient): Promise<Exams> => ({
  typed: (await createExam(api, typedExam([longAnswer('1')]))).id,
  copies: (await createExam(api, handwrittenExam({ questions: [longAnswer('1')] }))).id,
});

const typedBody = (name: string): object => ({
  candidate: { external_id: name },
  answers: [{ question_label: '1', text: `Because of this, and because of that, says ${name}.` }],
});

const submitSome = async (
  api: ApiClient,
  examId: string,
  name: string,
  count: number,
): Promise<Submission[]> => {
  const all: Submission[] = [];
  for (let nth = 1; nth <= count; nth += 1) all.push(await submit(api, examId, typedBody(`${name} ${nth}`)));
  return all;
};

/** A copy first, then typed answers, all graded. */
const submitAll = async (api: ApiClient, exams: Exams, name: string): Promise<Submission[]> => {
  const upload_id = await uploadCopy(api, plainPdf(1));
  const copy = await submit(api, exams.copies, { candidate: { external_id: randomUUID() }, upload_id });
  const all = [copy, ...(await submitSome(api, exams.typed, name, 4))];
  for (const { id } of all) await untilOver(api, id);
  return all;
};

const sendKeyed = async (api: ApiClient, examId: string, name: string): Promise<Submission> => {
  const response = await api.send(`/exams/${examId}/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `key of ${name}` },
    body: JSON.stringify(typedBody(name)),
  });
  if (response.status !== 202)
    throw new Error(`the submission answered ${response.status}: ${await response.text()}`);
  // Unchecked: the rehearsal reads the id.
  return (await response.json()) as Submission;
};

const totalOf = async (api: ApiClient, id: string): Promise<object> => {
  const { status, totals, credits_charged } = await resultOf(api, id);
  return { status, totals, credits_charged };
};

/** Bytes of the checked copy. @throws Error if there is none */
const checkedCopyOf = async (api: ApiClient, id: string): Promise<number> => {
  const response = await api.send(`/submissions/${id}/checked-copy`, { method: 'GET' });
  if (response.status !== 200)
    throw new Error(`the checked copy answered ${response.status} ${await response.text()}`);
  return (await response.arrayBuffer()).byteLength;
};

const violations = async (postgres: EmbeddedPostgres, instituteId: string): Promise<string[]> => {
  const found: string[] = [];
  await onServer(
    postgres,
    async (client) => {
      const query = async <Row extends pg.QueryResultRow>(
        statement: string,
        values?: unknown[],
      ): Promise<Row[]> => (await client.query<Row>(statement, values)).rows;
      found.push(...(await violationsIn({ query }, instituteId)));
      return [];
    },
    'answer_evaluation',
  );
  return found;
};
