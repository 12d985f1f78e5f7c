import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '@evaluation/core-client';
import type { Account, Exam, ExamList } from '@evaluation/rest-contract/schemas';
import {
  everyEndpoint,
  newOwnedObjects,
  paramsOf,
  send,
  type Call,
  type Endpoint,
  type OwnedObjects,
} from '../../harness/endpoints.ts';
import { mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { seen } from '../../harness/seenAnswer.ts';
import { openStaff, type Staff } from '../../harness/staff.ts';
import { tenantState, wholeFeed } from '../../harness/tenant.ts';

/*
 * An exam that staff made is invisible to the API keys of the same institute. Its objects are made through the API,
 * and the source of their exams is then set to that of the desk; the last tests create exams as staff.
 */

const { service, tenant } = await restSuite();
const own = await newOwnedObjects(tenant.api);
const desk = await newOwnedObjects(tenant.api);
const staff: Staff = await openStaff(service);

beforeAll(async () => {
  const database = new pg.Client({ connectionString: service.database.superuserUrl });
  await database.connect();
  const exams = [desk.exam, desk.written, desk.draft, desk.toOpen, desk.toDelete].map(({ id }) => id);
  await database.query(`update exams set source = 'dashboard' where id = any($1)`, [exams]);
  await database.end();
});
afterAll(() => staff.close());

/** Ids in paths that lie under an exam. A candidate and an upload belong to the institute. */
const UNDER_AN_EXAM = new Set(['examId', 'submissionId', 'questionId']);
const INSTITUTE_OBJECTS = new Set([
  'candidate_id',
  'candidate_ids',
  'upload_id',
  'upload_ids',
  'external_ids',
]);

interface DeskCall {
  endpoint: Endpoint;
  call: (id: string) => Call;
  deskId: string;
}

const endpoints = everyEndpoint();
const places = endpoints.flatMap((endpoint): [string, DeskCall][] => [
  ...paramsOf(endpoint)
    .filter((param) => UNDER_AN_EXAM.has(param))
    .map((param): [string, DeskCall] => {
      const call = (id: string): Call => {
        const right = endpoint.call(own);
        return { ...right, params: { ...right.params, [param]: id } };
      };
      const deskId = endpoint.call(desk).params?.[param] ?? '';
      return [`${endpoint.method} ${endpoint.path}: ${param}`, { endpoint, call, deskId }];
    }),
  ...Object.entries(endpoint.inBody ?? {})
    .filter(([field]) => !INSTITUTE_OBJECTS.has(field))
    .map(([field, { idOf, call }]): [string, DeskCall] => [
      `${endpoint.method} ${endpoint.path}: ${field} of the body`,
      { endpoint, call: (id) => call(own, id), deskId: idOf(desk) },
    ]),
]);

const asKey = (endpoint: Endpoint, call: Call): Promise<Response> =>
  send(service.baseUrl, endpoint, call, { 'x-api-key': tenant.api.apiKey });

const submissionsOf = ({ graded, queued, toFinalize, finalized, toRemove }: OwnedObjects): string[] =>
  [graded, queued, toFinalize, finalized, toRemove].map(({ id }) => id);

describe('for an API key', () => {
  test.each(places)('%s of an exam of the desk answers like an unknown id', async (_name, place) => {
    const { endpoint, call, deskId } = place;
    expect(deskId).not.toBe('');
    const before = await tenantState(tenant);
    const unknownId = randomUUID();
    const unknown = await seen(await asKey(endpoint, call(unknownId)), unknownId);
    expect(await seen(await asKey(endpoint, call(deskId)), deskId)).toEqual(unknown);
    expect(await tenantState(tenant)).toEqual(before);
  });

  test('the whole request about an exam of the desk answers 404', async () => {
    for (const endpoint of endpoints.filter((one) => UNDER_AN_EXAM.has(paramsOf(one)[0] ?? ''))) {
      const response = await asKey(endpoint, endpoint.call(desk));
      expect([endpoint.name, response.status]).toEqual([endpoint.name, 404]);
    }
  });

  test('feed, list and search leave out exams of the desk', async () => {
    const fed = new Set((await wholeFeed(tenant.api)).map(({ id }) => id));
    expect(submissionsOf(own).filter((id) => !fed.has(id))).toEqual([]);
    expect(submissionsOf(desk).filter((id) => fed.has(id))).toEqual([]);
    const listed = (await tenant.api.get<ExamList>('/exams?limit=200')).body.data.map(({ id }) => id);
    expect(listed).toContain(own.exam.id);
    expect(listed).not.toContain(desk.exam.id);
    const found = await tenant.api.post<{ data: Exam[] }>('/exams/search', {
      external_ref: desk.exam.external_ref,
    });
    expect(found.body.data).toEqual([]);
  });

  test('copies and credits of exams of the desk count', async () => {
    const all = submissionsOf(own).length + submissionsOf(desk).length;
    expect((await tenant.api.get<Account>('/me')).body.quota_used_today).toBe(all);
    // Two answers of each exam wait for the AI.
    expect((await tenant.credits()).committed).toBe(4);
  });
});

describe('for staff', () => {
  const asStaff = () => staff.as(tenant.instituteId);

  test('exams of both sources are found, with their submissions', async () => {
    for (const { exam, graded } of [own, desk]) {
      expect((await asStaff().exams.get.query({ exam_id: exam.id })).id).toBe(exam.id);
      expect((await asStaff().submissions.get.query({ submission_id: graded.id })).id).toBe(graded.id);
      const result = await asStaff().submissions.result.query({ submission_id: graded.id, query: {} });
      expect(result.submission_id).toBe(graded.id);
    }
  });

  test('an exam is created for the desk, and its external_ref is free in the API', async () => {
    const externalRef = randomUUID();
    const body = typedExam([mcq('1')], { external_ref: externalRef });
    const made = await asStaff().exams.create.mutate({ body });
    expect((await tenant.api.get(`/exams/${made.id}`)).status).toBe(404);
    const again: unknown = await asStaff()
      .exams.create.mutate({ body })
      .catch((error: unknown) => error);
    expect(failureOf(again)).toMatchObject({ code: 'exam_exists', details: { exam_id: made.id } });
    const api = await tenant.api.post<Exam>('/exams', body);
    expect(api.status).toBe(201);
    expect(api.body.id).not.toBe(made.id);
  });
});
