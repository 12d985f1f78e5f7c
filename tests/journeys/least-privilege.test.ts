import { randomBytes } from 'node:crypto';
import { grantCore } from '@evaluation/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import pg from 'pg';
import { createExam, resultOf, submit, untilOver, uploadCopy } from '../harness/api.ts';
import { everyTypeExam, handwrittenExam } from '../harness/papers.ts';
import { plainPdf } from '../harness/pdfs.ts';
import { newEnvironment, startService, type TestService } from '../harness/service.ts';

/* Core with a database role that owns no table, set up as docs/kubernetes.md#database-roles says. */

const role = `core_${randomBytes(6).toString('hex')}`;
const password = randomBytes(12).toString('hex');
let backing: Awaited<ReturnType<typeof newEnvironment>>;
let service: TestService;
let coreUrl: string;

const asSuperuser = async (...statements: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: backing.database.superuserUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

beforeAll(async () => {
  backing = await newEnvironment();
  await asSuperuser(`create role ${role} login password '${password}'`);
  const url = new URL(backing.database.url);
  url.username = role;
  url.password = password;
  coreUrl = url.href;
  // A manual grant of an administrator, which `grantCore` must revoke.
  await asSuperuser(`grant all on all tables in schema public to ${role}`);
  // Each deploy grants again, also two deploys at once.
  await Promise.all([grantCore(backing.database.url, role), grantCore(backing.database.url, role)]);
  service = await startService({ DATABASE_URL: coreUrl });
});
afterAll(async () => {
  await service.close();
  await asSuperuser(`drop owned by ${role}`, `drop role ${role}`);
  await backing.drop();
});

test('a typed and a handwritten submission are graded, overridden and finalized by a core that owns no table', async () => {
  const { api } = service;
  const typed = await createExam(api, everyTypeExam());
  const answered = await submit(api, typed.id, {
    candidate: { external_id: 'candidate-1' },
    answers: [{ question_label: '6', text: 'Because of this, and because of that.' }],
  });
  expect(await untilOver(api, answered.id)).toMatchObject({ status: 'graded', credits_charged: 1 });
  const exam = await createExam(api, handwrittenExam());
  const copy = await submit(api, exam.id, {
    candidate: { external_id: 'candidate-1' },
    upload_id: await uploadCopy(api, plainPdf(1)),
  });
  expect(['graded', 'failed']).toContain((await untilOver(api, copy.id)).status);
  const [question] = (await resultOf(api, answered.id)).questions.filter(({ label }) => label === '6');
  const path = `/submissions/${answered.id}/questions/${question?.question_id}`;
  expect(await api.patch(path, { reviewer: 'teacher-1', awarded: 1.5 })).toMatchObject({ status: 200 });
  expect(await api.post(`/exams/${typed.id}/finalize`, { all_graded: true })).toMatchObject({ status: 200 });
  expect(await api.delete(`/submissions/${copy.id}`)).toMatchObject({ status: 200 });
});

test.each([
  ['rewrite a credit entry', 'update credit_entries set amount = 0'],
  ['delete the audit', 'delete from audit_entries'],
  ['change an old version of a rubric', 'update rubric_versions set model_answer = null'],
  ['empty a table', 'truncate submissions cascade'],
  ['create a trigger', 'create trigger t before update on runs execute function now()'],
  ['make a table', 'create table mine (id int)'],
  ['drop one', 'drop table runs'],
  ['switch row-level security off', 'alter table submissions disable row level security'],
  ['forget a migration', 'delete from _prisma_migrations'],
])('core’s role cannot %s', async (_what, statement) => {
  const client = new pg.Client({ connectionString: coreUrl });
  await client.connect();
  try {
    await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
  } finally {
    await client.end();
  }
});

test('a role that does not exist, or that bypasses row-level security, is refused with a sentence', async () => {
  await expect(grantCore(backing.database.url, 'nobody_there')).rejects.toThrow(
    /there is no role nobody_there/,
  );
  const superuser = new URL(backing.database.superuserUrl).username;
  await expect(grantCore(backing.database.url, superuser)).rejects.toThrow(
    /row-level security does not bind/,
  );
  const member = `${role}_member`;
  const owner = new URL(backing.database.url).username;
  await asSuperuser(`create role ${member} in role ${pg.escapeIdentifier(owner)}`);
  try {
    await expect(grantCore(backing.database.url, member)).rejects.toThrow(
      /is a member of the role that owns/,
    );
  } finally {
    await asSuperuser(`drop role ${member}`);
  }
});
