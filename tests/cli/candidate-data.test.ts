import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open as openFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { failureOf } from '@evaluation/core-client';
import { objectStore, type ObjectStore } from '@evaluation/object-store';
import type { Candidate, Exam, Submission } from '@evaluation/rest-contract/schemas';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createExam, resultOf, submit, uploadCopy } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { eventually } from '../harness/ledger.ts';
import { handwrittenExam, longAnswer, typedExam } from '../harness/papers.ts';
import { plainPdf } from '../harness/pdfs.ts';
import type { TestService } from '../harness/service.ts';
import { startStoreProxy, type StoreProxy } from '../harness/storeProxy.ts';
import { takeRun } from '../harness/takeRun.ts';
import { NOTHING_USED } from '../harness/testWorker.ts';
import { expectError, newTenant, startIdleService, wholeFeed, type Tenant } from '../harness/tenant.ts';
import { environmentOf, fileOf, runProgram, type Outcome } from './program.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/*
 * Export and erasure of a candidate's data (docs/operate/privacy.md#data-of-a-candidate). The test grades the runs
 * itself, so each kind of stored data contains a known text.
 */

const EXTERNAL = 'ROLL-77-quackenbush';
const PERSON = {
  external_id: EXTERNAL,
  name: 'Zebulon Quackenbush',
  roll_number: 'RN-314159',
  section_or_class: 'Section-Umbra',
  metadata: { guardian: 'Hephzibah' },
};
const SAID = {
  typed: 'A marmoset typed this sentence.',
  earlier: 'An ocelot stood here before.',
  running: 'A pangolin is being graded.',
  read: 'A quokka was read from the page.',
  feedback: 'Mind the narwhal.',
  reason: 'The axolotl is missing.',
  annotation: 'See the okapi.',
  metadata: 'desk-of-the-wombat',
};
/** Texts that must be found before the erasure and not after it. */
const TRACES = [
  EXTERNAL,
  PERSON.name,
  PERSON.roll_number,
  PERSON.section_or_class,
  'Hephzibah',
  ...Object.values(SAID),
];
/** Remark of a teacher: it stays in the audit, which is append-only, and is erased from `reviews`. */
const TEACHER = 'The examiner and the tapir agree.';

let proxy: StoreProxy;
let service: TestService;
let terminal: Terminal;
let store: ObjectStore;
let tenant: Tenant;
let stranger: Tenant;
let folder: string;
let scanned: Exam;
let typed: Exam;
let second: Exam;
let zebulon: Theirs;
let other: Theirs;
let running: Awaited<ReturnType<typeof takeRun>>;

interface Theirs {
  candidateId: string;
  copy: string;
  typed: string;
  earlier: string;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'candidate-data-'));
  const { endpoint } = inject('testServices').s3;
  proxy = await startStoreProxy(endpoint);
  service = await startIdleService({
    S3_ENDPOINT: proxy.endpoint,
    INSPECTION_WAIT_SECONDS: '30',
    FILE_ROUND_SECONDS: '1',
    LEASE_SECONDS: '300',
  });
  const { environment } = service;
  terminal = await openTerminal('admin', here());
  store = objectStore({
    endpoint,
    region: 'us-east-1',
    bucket: environment['S3_BUCKET'] ?? '',
    accessKeyId: environment['S3_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: environment['S3_SECRET_ACCESS_KEY'] ?? '',
  });
  tenant = await newTenant(service);
  stranger = await newTenant(service);
  const paper = typedExam([longAnswer('1')]);
  [scanned, typed, second] = await Promise.all([
    createExam(tenant.api, handwrittenExam()),
    createExam(tenant.api, paper),
    createExam(tenant.api, paper),
  ]);
  zebulon = await sit(tenant, PERSON, SAID);
  other = await sit(
    tenant,
    { external_id: 'other', name: 'Other Person' },
    {
      ...SAID,
      typed: 'Another candidate typed this.',
      earlier: 'Another candidate before.',
      read: 'Something else was read.',
      feedback: 'Fine.',
      reason: 'All there.',
      annotation: 'Here.',
      metadata: 'elsewhere',
    },
  );
  await submit(stranger.api, (await createExam(stranger.api, paper)).id, {
    candidate: { ...PERSON, name: 'Namesake Elsewhere' },
    answers: [{ question_label: '1', text: 'Of another institute.' }],
  });
  const active = await submit(tenant.api, second.id, {
    candidate: { external_id: EXTERNAL },
    answers: [{ question_label: '1', text: SAID.running }],
  });
  running = await takeRun(service, active.id);
}, 120_000);

afterAll(async () => {
  await terminal.close();
  await service.close();
  store.close();
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

const core = () => service.grading.as({}).grading;
type Sent = Record<keyof typeof SAID, string>;

/** A client's idempotency key, kept for 48 hours. Clients must not put personal data into it. */
const keyOf = (candidate: { external_id: string }): string =>
  createHash('sha256').update(candidate.external_id).digest('hex');

/** One candidate takes two exams, so that every kind of stored data exists. */
const sit = async (
  owner: Tenant,
  candidate: { external_id: string; name: string },
  output: Sent,
): Promise<Theirs> => {
  const answers = (text: string) => [{ question_label: '1', text }];
  const earlier = await submit(owner.api, typed.id, { candidate, answers: answers(output.earlier) });
  await grade(earlier, output);
  const keyed = await owner.api.send(`/exams/${typed.id}/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': keyOf(candidate) },
    body: JSON.stringify({
      candidate: { external_id: candidate.external_id },
      answers: answers(output.typed),
      replace: true,
      metadata: { desk: output.metadata },
    }),
  });
  expect(keyed.status).toBe(202);
  const again = (await keyed.json()) as Submission;
  await grade(again, output);
  const copy = await submit(owner.api, scanned.id, {
    candidate: { external_id: candidate.external_id },
    upload_id: await uploadCopy(owner.api, withText(output.read)),
  });
  await grade(copy, output);
  const { questions } = await resultOf(owner.api, again.id);
  const overridden = await owner.api.patch(
    `/submissions/${again.id}/questions/${questions[0]?.question_id}`,
    {
      reviewer: 'teacher-7',
      awarded: 0.5,
      reason: TEACHER,
    },
  );
  expect(overridden.status).toBe(200);
  await behind(
    service.database,
    `insert into marking_flags (institute_id, submission_id, question_id, note, staff_id)
     values ($1, $2, $3, $4, $1)`,
    [owner.instituteId, again.id, questions[0]?.question_id, output.feedback],
  );
  await behind(
    service.database,
    `insert into marking_ink (institute_id, submission_id, id, ink, staff_id)
     values ($1, $2, $1, jsonb_build_object('kind', 'text', 'page', 1, 'at', array[0, 0], 'text', $3::text), $1)`,
    [owner.instituteId, again.id, output.feedback],
  );
  return { candidateId: copy.candidate.id, copy: copy.id, typed: again.id, earlier: earlier.id };
};

/** Adds text after %%EOF: a PDF reader ignores it, a search of the bytes finds it. */
const withText = (text: string): Uint8Array => Buffer.concat([plainPdf(1), Buffer.from(`%${text}\n`)]);

const grade = async ({ id, lane }: Submission, output: Sent): Promise<void> => {
  const { material, held } = await takeRun(service, id);
  const evidence = { replied: [output.read, output.feedback] };
  const [question] = material.questions;
  if (question === undefined) throw new Error('an empty paper');
  if (lane === 'copy') {
    await core().record.mutate({
      held,
      pages: [{ first_page: 1, pages: [{ text: output.read }], evidence }],
      alignment: { alignment: [{ text: output.read }], evidence },
    });
  }
  const judgement = { key: createHash('sha256').update(id).digest('hex'), calls: evidence, replaces: null };
  const questions = material.questions.map(({ id: question_id }) => ({
    evidence,
    ...(question_id === question.id ? { judgement } : {}),
    result: {
      question_id,
      status: 'graded' as const,
      awarded: 1,
      confidence: 0.9,
      needs_review: false,
      review_reasons: [],
      extracted_answer: output.read,
      feedback: output.feedback,
      criteria: [{ name: 'Method', awarded: 1, max: 2, reason: output.reason, evidence: output.read }],
      annotations: [
        {
          page: 1,
          kind: 'comment' as const,
          box: { x: 0, y: 0, width: 0.1, height: 0.1 },
          text: output.annotation,
        },
      ],
      error: null,
    },
  }));
  let checked_copy: { size_bytes: number; pictures: [] } | null = null;
  if (lane === 'copy') {
    const drawn = withText(`checked ${output.read}`);
    const size_bytes = drawn.byteLength;
    const put = await core().presignCheckedCopy.mutate({ held, size_bytes });
    await fetch(put.url, { method: 'PUT', headers: put.headers, body: Uint8Array.from(drawn) });
    checked_copy = { size_bytes, pictures: [] };
  }
  await core().record.mutate({
    held,
    questions,
    used: NOTHING_USED,
    completion: { checked_copy, review_reasons: [], ...NOTHING_USED },
  });
};

/** DATA_DIR alone, as on a machine that runs `npm start`. */
const here = () => ({ DATA_DIR: service.environment['DATA_DIR'] ?? '' });
const admin = (...args: string[]): Promise<Outcome> => terminal.run([...args, '--json']);
const exported = (...args: string[]) =>
  admin('candidate', 'export', '--institute', tenant.instituteId, ...args);
const erased = (...args: string[]) =>
  admin('candidate', 'erase', '--institute', tenant.instituteId, ...args, '--confirm');

const answerOf = (outcome: Outcome): Record<string, unknown> => {
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(outcome.stdout) as Record<string, unknown>;
};
const refused = (outcome: Outcome, exitCode: 1 | 2, code: string): void => {
  expect(outcome).toMatchObject({ code: exitCode, stdout: '' });
  expect((JSON.parse(outcome.stderr) as { error: { code: string } }).error.code).toBe(code);
};

/** Every row of every table as text, and every object, decompressed. */
const everything = async (): Promise<{ where: string; text: string }[]> => {
  const tables = await behind<{ name: string }>(
    service.database,
    // core_presence has a time that core renews, and nothing of a candidate.
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'core_presence'`,
  );
  const found: { where: string; text: string }[] = [];
  for (const { name } of tables) {
    const rows = await behind<{ text: string }>(
      service.database,
      `select t::text as text from "${name}" t order by 1`,
    );
    found.push(...rows.map(({ text }) => ({ where: name, text })));
  }
  for await (const key of store.list('')) {
    const bytes = await store.get(key, { maxBytes: 10_000_000 });
    if (bytes === null) continue;
    const text = (key.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
    found.push({ where: `object ${key}`, text: `${key} ${text}` });
  }
  return found;
};

const tracesOf = async (words: readonly string[], institute: string): Promise<string[]> => {
  const all = await everything();
  const ofOthers = all.filter(({ text }) => !text.includes(institute));
  return all
    .filter((thing) => !ofOthers.includes(thing))
    .flatMap(({ where, text }) =>
      words.filter((word) => text.includes(word)).map((word) => `${where}: ${word}`),
    );
};

const filesIn = async (root: string): Promise<string[]> =>
  (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted();

const textOf = async (file: string): Promise<string> => {
  const bytes = await readFile(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
};

test('candidate export contains all data of the candidate and none of another candidate', async () => {
  const out = join(folder, 'whole');
  const args = ['--institute', tenant.instituteId, '--external-id', EXTERNAL, '--out', out, '--json'];
  // A separate program, so that the test fails if the program does not end.
  const answer = answerOf(await runProgram('admin', ['candidate', 'export', ...args], here()));
  expect(answer).toMatchObject({ candidate_id: zebulon.candidateId, submissions: 4 });
  const files = await filesIn(out);
  expect(answer['files']).toBe(files.filter((file) => file.startsWith('files/')).length);
  expect((await stat(out)).mode & 0o077).toBe(0);
  expect((await stat(join(out, 'candidate.json'))).mode & 0o077).toBe(0);

  const text = await readFile(join(out, 'candidate.json'), 'utf8');
  for (const output of [...TRACES, TEACHER, 'charge', 'reserve', 'override']) expect(text).toContain(output);
  const { submissions } = JSON.parse(text) as {
    submissions: { submission: { id: string }; files: { path: string; size_bytes: number }[] }[];
  };
  expect(submissions.map(({ submission }) => submission.id)).toEqual(
    expect.arrayContaining([zebulon.copy, zebulon.typed, zebulon.earlier]),
  );
  const listed = submissions.flatMap((submission) => submission.files);
  expect(files.filter((file) => file.startsWith('files/'))).toEqual(
    listed.map(({ path }) => path).toSorted(),
  );
  for (const { path, size_bytes } of listed) expect((await stat(join(out, path))).size).toBe(size_bytes);
  expect(await textOf(join(out, 'files', zebulon.copy, 'copy.pdf'))).toBe(
    Buffer.from(withText(SAID.read)).toString('latin1'),
  );
  expect(files.some((file) => file.startsWith(`files/${zebulon.copy}/checked-copies/`))).toBe(true);
  expect(files.some((file) => file.startsWith(`files/${zebulon.copy}/evidence/`))).toBe(true);

  for (const file of files) {
    const held = await textOf(join(out, file));
    for (const foreign of [
      'Other Person',
      'Another candidate',
      'Something else',
      'Namesake',
      stranger.instituteId,
    ])
      expect(held).not.toContain(foreign);
  }
});

test('candidate export to stdout writes the same folder as an archive, and its messages to stderr', async () => {
  const file = join(folder, 'candidate.tar');
  const archive = await openFile(file, 'w');
  const args = ['--institute', tenant.instituteId, '--external-id', EXTERNAL, '--inside', '--out', '-'];
  const child = spawn(
    process.execPath,
    [fileOf('../../apps/cli/src/admin/main.ts'), 'candidate', 'export', ...args, '--json'],
    { stdio: ['ignore', archive.fd, 'pipe'], env: environmentOf(here()) },
  );
  let output = '';
  child.stderr?.on('data', (text) => (output += String(text)));
  const [code] = await once(child, 'close');
  await archive.close();
  expect({ code, ...JSON.parse(output) }).toMatchObject({ code: 0, submissions: 4 });
  await promisify(execFile)('tar', ['-xf', file, '-C', folder]);
  const [out, whole] = [join(folder, `candidate-${zebulon.candidateId}`), join(folder, 'whole')];
  const files = await filesIn(whole);
  expect(await filesIn(out)).toEqual(files);
  for (const path of files.filter((one) => one !== 'candidate.json'))
    expect(await readFile(join(out, path)), path).toEqual(await readFile(join(whole, path)));
});

test('an interrupted export continues, and downloads no file twice', async () => {
  const out = join(folder, 'cut');
  let fetches = 0;
  const isFile = ({ method, path }: { method: string; path: string }) =>
    method === 'GET' && path.includes('.pdf');
  proxy.beforeNext(
    (asked) => isFile(asked) && (fetches += 1) === 2,
    async () => {
      throw new Error('the connection breaks');
    },
  );
  refused(await exported('--candidate', zebulon.candidateId, '--out', out), 1, 'file_not_fetched');
  const before = (await filesIn(out)).filter((file) => file.endsWith('.pdf'));
  expect(before).toHaveLength(1);
  expect(await filesIn(out)).not.toContain('candidate.json');
  const seen = proxy.seen.length;
  answerOf(await exported('--candidate', zebulon.candidateId, '--out', out));
  expect(proxy.seen.slice(seen).filter(isFile)).toHaveLength(1);
  expect(await filesIn(out)).toEqual(await filesIn(join(folder, 'whole')));

  // A folder with another candidate's data is refused: handing it over would disclose that data.
  refused(await exported('--candidate', other.candidateId, '--out', out), 2, 'folder_in_use');
  await writeFile(join(folder, 'note.txt'), 'mine');
  refused(await exported('--candidate', other.candidateId, '--out', folder), 2, 'folder_in_use');
});

test('candidate export answers not_found for an unknown candidate and for one of another institute', async () => {
  const out = join(folder, 'unknown');
  refused(await exported('--external-id', 'unknown', '--out', out), 1, 'not_found');
  const there = ['--institute', stranger.instituteId, '--candidate', zebulon.candidateId];
  refused(await admin('candidate', 'export', ...there, '--out', out), 1, 'not_found');
  refused(await admin('candidate', 'erase', ...there, '--confirm'), 1, 'not_found');
  refused(await erased(), 2, 'invalid_arguments');
  const unconfirmed = ['--institute', tenant.instituteId, '--candidate', zebulon.candidateId];
  refused(await admin('candidate', 'erase', ...unconfirmed), 2, 'invalid_arguments');
  expect(await filesIn(folder)).not.toContain('unknown/export.json');
});

/** Other candidates' rows and objects must stay unchanged, except the row of credits (a refund). */
const untouched = (
  before: Awaited<ReturnType<typeof everything>>,
  after: Awaited<ReturnType<typeof everything>>,
  ids: string[],
): string[] => {
  const now = new Set(after.map(({ where, text }) => `${where} ${text}`));
  return before
    .filter(({ where, text }) => !now.has(`${where} ${text}`) && !ids.some((id) => text.includes(id)))
    .map(({ where }) => where)
    .filter((where) => where !== 'credit_accounts');
};

test('an erasure interrupted by the object store is finished by the same command, and leaves no trace', async () => {
  expect(await tracesOf([EXTERNAL], tenant.instituteId)).not.toEqual([]);
  const before = await everything();
  const feed = new Map((await wholeFeed(tenant.api)).map((row) => [row.id, row.updated_at]));
  const marks = await resultOf(tenant.api, zebulon.typed);
  const credits = await tenant.credits();
  const ids = (
    await behind<{ id: string }>(
      service.database,
      `select s.id from submissions s where s.candidate_id = $1 union select r.id from runs r join submissions s
       on s.id = r.submission_id where s.candidate_id = $1 union select $1 union
       select upload_id from submissions where candidate_id = $1 and upload_id is not null`,
      [zebulon.candidateId],
    )
  ).map(({ id }) => id);
  expect(ids).toHaveLength(4 + 4 + 1 + 1);

  proxy.setAway(true);
  refused(await erased('--external-id', EXTERNAL), 1, 'service_unavailable');
  // The rows are deleted by now, so core refuses the worker of a run of the candidate.
  expect(await running.mark(1)).toBe('lost');
  const open = await behind(service.database, 'select 1 from erasures where files_removed_at is null');
  expect(open).toHaveLength(1);
  proxy.setAway(false);

  expect(answerOf(await erased('--external-id', EXTERNAL))).toMatchObject({
    candidate_id: zebulon.candidateId,
    submissions: 4,
  });
  expect(await tracesOf(TRACES, tenant.instituteId)).toEqual([]);
  const teachers = await tracesOf([TEACHER], tenant.instituteId);
  // The remark on the erased candidate stays in the audit only; the remark on the other candidate stays in both.
  expect(teachers.toSorted()).toEqual([
    `audit_entries: ${TEACHER}`,
    `audit_entries: ${TEACHER}`,
    `reviews: ${TEACHER}`,
  ]);
  const after = await everything();
  expect(untouched(before, after, ids)).toEqual([]);
  expect(after.filter(({ where }) => where.startsWith('object')).map(({ where }) => where)).toEqual(
    before
      .filter(({ where }) => where.startsWith('object') && !ids.some((id) => where.includes(id)))
      .map(({ where }) => where),
  );

  // The reservation of the cancelled run is refunded; completed runs stay charged.
  expect(await tenant.credits()).toEqual({ ...credits, committed: 0 });
  expect(credits.committed).toBeGreaterThan(0);
  expect((await admin('reconcile', '--institute', tenant.instituteId)).code).toBe(0);

  // The feed shows each erased submission again, and not the other candidate's.
  for (const row of await wholeFeed(tenant.api)) {
    const isTheirs = row.candidate.id === zebulon.candidateId;
    expect(Date.parse(row.updated_at) > Date.parse(feed.get(row.id) ?? '')).toBe(isTheirs);
    if (isTheirs) expect(row.candidate.external_id).toBe(`erased-${zebulon.candidateId}`);
  }
  const result = await resultOf(tenant.api, zebulon.typed, '?include=annotations');
  expect(result.totals).toEqual(marks.totals);
  expect(result).toMatchObject({ candidate: { name: null, roll_number: null }, status: marks.status });
  expect(result.questions[0]).toMatchObject({
    awarded: 0.5,
    extracted_answer: null,
    feedback: null,
    annotations: [],
    criteria: [{ name: 'Method', awarded: 1, max: 2, reason: null }],
    review: { reviewer: { ref: 'teacher-7' }, reason: null },
  });
  expect(await resultOf(tenant.api, zebulon.copy)).toMatchObject({ checked_copy: { available: false } });
  expectError(await tenant.api.get(`/submissions/${zebulon.copy}/checked-copy`), 404, 'not_found');
});

test('repeating an erasure changes nothing, and an erased candidate cannot be graded, named or submitted for', async () => {
  const before = await everything();
  const again = answerOf(await erased('--candidate', zebulon.candidateId));
  expect(again).toMatchObject({ candidate_id: zebulon.candidateId, submissions: 4 });
  expect(await everything()).toEqual(before);
  refused(await erased('--external-id', EXTERNAL), 1, 'not_found');

  const { api } = tenant;
  expectError(await api.post(`/submissions/${zebulon.typed}/re-evaluate`), 409, 'conflict');
  const { questions } = await resultOf(api, zebulon.typed);
  const override = `/submissions/${zebulon.typed}/questions/${questions[0]?.question_id}`;
  expectError(await api.patch(override, { reviewer: 'teacher-7', awarded: 1 }), 409, 'conflict');
  const answers = [{ question_label: '1', text: 'Again.' }];
  const byId = { candidate_id: zebulon.candidateId, answers };
  expectError(await api.post(`/exams/${second.id}/submissions`, byId), 404, 'candidate_not_found');
  const renamed = { external_id: `erased-${zebulon.candidateId}`, name: PERSON.name };
  expectError(await api.post('/candidates', { candidates: [renamed] }), 404, 'candidate_not_found');
  const asRenamed = { candidate: renamed, answers };
  expectError(await api.post(`/exams/${second.id}/submissions`, asRenamed), 404, 'candidate_not_found');
  const registered = { candidate_ids: [zebulon.candidateId] };
  expectError(await api.post(`/exams/${second.id}/candidates`, registered), 404, 'candidate_not_found');

  // A repeated request gets an answer from the redacted outcome, and is not executed again.
  const replayed = await api.send(`/exams/${typed.id}/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': keyOf(PERSON) },
    body: JSON.stringify({
      candidate: { external_id: EXTERNAL },
      answers: [{ question_label: '1', text: SAID.typed }],
      replace: true,
      metadata: { desk: SAID.metadata },
    }),
  });
  expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  expect(await replayed.json()).toMatchObject({
    id: zebulon.typed,
    candidate: { id: zebulon.candidateId, external_id: `erased-${zebulon.candidateId}` },
    metadata: null,
  });

  const anew = await submit(api, second.id, { candidate: PERSON, answers });
  expect(anew.candidate.id).not.toBe(zebulon.candidateId);
  const { body } = await api.get<Candidate>(`/candidates/${zebulon.candidateId}`);
  expect(body).toMatchObject({ external_id: `erased-${zebulon.candidateId}`, name: null, metadata: null });
});

test('core finishes an interrupted erasure by itself, and removes objects that arrive late', async () => {
  proxy.setAway(true);
  refused(await erased('--candidate', other.candidateId), 1, 'service_unavailable');
  proxy.setAway(false);
  const letPass = (hours: number) =>
    behind(
      service.database,
      `update erasures set requested_at = requested_at - make_interval(hours => $1::int),
         files_removed_at = files_removed_at - make_interval(hours => $1::int) where candidate_id = $2`,
      [hours, other.candidateId],
    );
  const stands = async (what: string) => {
    const rows = await behind(
      service.database,
      `select 1 from erasures where candidate_id = $1 and ${what} is not null and external_id is null`,
      [other.candidateId],
    );
    return rows.length === 1;
  };
  await letPass(1);
  await eventually('core has removed the files', () => stands('files_removed_at'));
  // A drawing of a worker that had not yet noticed the erasure.
  const late = `institutes/${tenant.instituteId}/checked-copies/${other.copy}/late.pdf`;
  await store.put(late, Buffer.from('late'), 'application/pdf');
  await letPass(4);
  await eventually('core has looked again', () => stands('settled_at'));
  expect(await store.head(late)).toBeNull();
});

test('a submission that is accepted while the erasure begins is erased too', async () => {
  const answers = [{ question_label: '1', text: 'A coelacanth races.' }];
  const { candidate } = await submit(tenant.api, second.id, { candidate: { external_id: 'racer' }, answers });
  const registrar = new pg.Client({ connectionString: service.database.superuserUrl });
  await registrar.connect();
  try {
    // A registration that holds its transaction open: the submission has found the candidate, and waits here.
    await registrar.query('begin');
    await registrar.query('set local session_replication_role = replica');
    await registrar.query(
      `insert into registrations (id, institute_id, exam_id, candidate_id) values (gen_random_uuid(), $1, $2, $3)`,
      [tenant.instituteId, typed.id, candidate.id],
    );
    const waiting = async (count: number) => {
      const rows = await behind(
        service.database,
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length === count;
    };
    const sent = tenant.api.post(`/exams/${typed.id}/submissions`, { candidate_id: candidate.id, answers });
    await eventually('the submission waits', () => waiting(1));
    let isDone = false;
    const erasing = erased('--candidate', candidate.id).finally(() => (isDone = true));
    await eventually('the erasure waits for it, or is over', async () => isDone || (await waiting(2)));
    await registrar.query('rollback');
    expect((await sent).status).toBe(202);
    expect(answerOf(await erasing)).toMatchObject({ submissions: 2 });
  } finally {
    await registrar.end();
  }
  expect(await tracesOf(['A coelacanth races.'], tenant.instituteId)).toEqual([]);
  expect((await admin('reconcile', '--institute', tenant.instituteId)).code).toBe(0);
});

test('a record of a worker that was in progress when the erasure began is refused', async () => {
  const candidate = { external_id: 'in-hand' };
  const answers = [{ question_label: '1', text: 'In hand.' }];
  const { id, candidate: made } = await submit(tenant.api, second.id, { candidate, answers });
  const { held } = await takeRun(service, id);
  answerOf(await erased('--candidate', made.id));
  const late = core().record.mutate({
    held,
    pages: [{ first_page: 1, pages: [], evidence: { output: 'In hand.' } }],
  });
  expect(await late.catch((error: unknown) => failureOf(error)?.code)).toBe('conflict');
  expect(await tracesOf(['In hand.'], tenant.instituteId)).toEqual([]);
});
