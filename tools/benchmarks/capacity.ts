/**
 * `npm run capacity [-- --typed N --copies N --pages N]`: measures CPU time of each part per submission, with a model
 * that answers at once, and the rows and bytes left in PostgreSQL. docs/capacity.md draws the conclusions.
 * Facade, core and a worker run as separate processes over embedded services of this process, so the CPU time of each
 * part can be read from the system (Linux only). CPU time hardly depends on the load of the machine; wall time does.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { coreOverHttp } from '@evaluation/core-client';
import { deploy } from '@evaluation/database';
import { startNats, startPostgres, startS3, stopServersAtOnce } from '@evaluation/embedded';
import { onStopSignals } from '@evaluation/platform/telemetry/stopSignals';
import { startModelServer } from '@evaluation/test-services/model';
import { setTimeout as wait } from 'node:timers/promises';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { apiClient, createExam, submit, uploadCopy } from '../../tests/harness/api.ts';
import { longAnswer, typedExam } from '../../tests/harness/papers.ts';
import { plainPdf, untilInspected } from '../../tests/harness/pdfs.ts';
import { killPrograms, startProgram } from '../../tests/harness/processes.ts';

const { values } = parseArgs({
  options: {
    typed: { type: 'string', default: '300' },
    copies: { type: 'string', default: '20' },
    pages: { type: 'string', default: '10' },
  },
});
const [typedCount, copyCount, pages] = [Number(values.typed), Number(values.copies), Number(values.pages)];
const QUESTIONS = 10;
const AT_ONCE = 64;
const CLOCK_TICKS = 100;

const folder = await mkdtemp(join(tmpdir(), 'capacity-'));
const stopping: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
const stopAll = async (): Promise<void> => {
  for (const stop of stopping.splice(0).toReversed())
    await stop().catch((error: unknown) => console.error(error));
};
// On a stop signal: end the programs, then their servers. Measurements are not kept, so nothing has to be finished.
onStopSignals({
  stop: () =>
    void killPrograms()
      .then(stopAll)
      .then(() => process.exit(130)),
  stopAtOnce: () =>
    void killPrograms()
      .then(stopServersAtOnce)
      .then(() => process.exit(130)),
});

/** CPU seconds of a process and its ended children. */
const cpuOf = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0) / CLOCK_TICKS;
};
/** CPU seconds of a server and of the processes of its connections, alive or ended. */
const cpuOfTree = async (root: number): Promise<number> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    }),
  );
  const children = pids.filter((_, index) => parents[index] === root);
  const all = await Promise.all([root, ...children].map(cpuOf));
  return all.reduce((sum, each) => sum + each, 0);
};

try {
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    durable: true,
    onProgress: () => {},
  });
  stopping.push(() => postgres.close());
  const nats = await startNats({ dataDir: join(folder, 'nats'), onProgress: () => {} });
  stopping.push(() => nats.close());
  const s3 = await startS3({ dataDir: join(folder, 's3') });
  stopping.push(() => s3.close());
  const model = await startModelServer();
  stopping.push(() => model.close());
  await deploy(postgres.url);
  const tables = new URL(postgres.superuserUrl);
  tables.pathname = new URL(postgres.url).pathname;
  const observer = new pg.Client({ connectionString: tables.href });
  await observer.connect();
  stopping.push(() => observer.end());
  /** Rows and bytes of all tables and their indexes, after VACUUM. */
  const kept = async (): Promise<{ rows: number; bytes: number }> => {
    await observer.query('vacuum analyze');
    const { rows } = await observer.query<{ rows: number; bytes: number }>(
      `select sum(n_live_tup)::int as rows, sum(pg_total_relation_size(relid))::float8 as bytes from pg_stat_user_tables`,
    );
    return rows[0] ?? { rows: 0, bytes: 0 };
  };

  const secret = (): string => randomBytes(16).toString('hex');
  const tokens = { CORE_PUBLIC_TOKEN: secret(), CORE_GRADING_TOKEN: secret(), CORE_CONTROL_TOKEN: secret() };
  const many = 'key:reads:minute=1000000,institute:reads:second=1000000,key:writes:minute=1000000';
  const environment = {
    ...tokens,
    LOG_LEVEL: 'silent',
    ACTOR_SIGNING_KEY: secret(),
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    PORT: '0',
    CORE_PORT: '0',
    DESK_PORT: '0',
    RATE_LIMITS_STANDARD: many,
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'not-a-key',
  };
  const core = await startProgram('core', environment);
  stopping.push(() => core.kill());
  const facade = await startProgram('facade', { ...environment, CORE_URL: core.name });
  stopping.push(() => facade.kill());
  const worker = await startProgram('worker', { ...environment, CORE_URL: core.name });
  stopping.push(() => worker.kill());

  const control = coreOverHttp({ url: core.name, token: tokens.CORE_CONTROL_TOKEN });
  stopping.push(() => control.close());
  const { institute_id } = await control.as({}).control.createInstitute.mutate({
    name: 'Capacity',
    credits: 10_000_000,
    daily_copy_quota: 1_000_000,
  });
  const { api_key } = await control
    .as({})
    .control.createKey.mutate({ institute_id, scopes: ['evaluation:read', 'evaluation:write'] });
  const api = apiClient(facade.name, api_key);

  /** Polls slowly, like a client that waits for many submissions (docs/api/conventions.md#polling). */
  const untilGraded = async (id: string): Promise<void> => {
    for (;;) {
      await wait(2000);
      const { body } = await api.get<Submission>(`/submissions/${id}`);
      if (body.status === 'graded') return;
      if (body.error !== null) throw new Error(`${id}: ${body.error.code}`);
    }
  };
  const parts = async (): Promise<Record<string, number>> => ({
    facade: await cpuOf(facade.pid),
    core: await cpuOf(core.pid),
    PostgreSQL: await cpuOfTree(postgres.pid),
    worker: await cpuOf(worker.pid),
  });
  const measure = async (
    what: string,
    count: number,
    work: (index: number) => Promise<void>,
  ): Promise<void> => {
    const [before, keptBefore] = [await parts(), await kept()];
    const started = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count) }, async () => {
        while (next < count) {
          next += 1;
          await work(next);
        }
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    const after = await parts();
    const each = Object.keys(after).map(
      (part) => `${part} ${((((after[part] ?? 0) - (before[part] ?? 0)) / count) * 1000).toFixed(0)} ms`,
    );
    console.log(`${what}: ${count} in ${seconds.toFixed(1)} s; CPU each: ${each.join(', ')}`);
    const now = await kept();
    const rows = (now.rows - keptBefore.rows) / count;
    const kilobytes = (now.bytes - keptBefore.bytes) / count / 1000;
    console.log(
      `  PostgreSQL keeps of each: ${rows.toFixed(0)} rows, ${kilobytes.toFixed(1)} kB with indexes`,
    );
  };

  const questions = Array.from({ length: QUESTIONS }, (_, index) => longAnswer(String(index + 1)));
  const typed = await createExam(api, typedExam(questions));
  const copies = await createExam(api, typedExam(questions, { mode: 'handwritten' }));
  await measure(`typed submissions of ${QUESTIONS} long answers`, typedCount, async (index) => {
    const { id } = await submit(api, typed.id, {
      candidate: { external_id: `typed-${index}` },
      // Each answer has words of its own; equal answers would share one cached judgement.
      answers: questions.map(({ label }) => ({
        question_label: label,
        text: `Because of this and that, as candidate ${index} says of question ${label}. `.repeat(5),
      })),
    });
    await untilGraded(id);
  });
  await measure(`copies of ${pages} pages and ${QUESTIONS} questions`, copyCount, async (index) => {
    const upload_id = await uploadCopy(api, plainPdf(pages));
    await untilInspected(api, upload_id);
    const { id } = await submit(api, copies.id, {
      candidate: { external_id: `copy-${index}` },
      upload_id,
    });
    await untilGraded(id);
  });
} finally {
  await stopAll();
}
