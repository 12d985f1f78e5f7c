import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { checkedCopyPrefix, objectStore } from '@evaluation/object-store';
import { closedAfterTests, newBucket, startModelServer, type ModelServer } from '@evaluation/test-services';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { QuestionResult, Result, Submission } from '@evaluation/rest-contract/schemas';
import {
  apiClient,
  createExam,
  resultOf,
  submit,
  untilOver,
  uploadCopy,
  type ApiClient,
} from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { eventually } from '../harness/ledger.ts';
import { handwrittenExam } from '../harness/papers.ts';
import { plainPdf, textOfPages } from '../harness/pdfs.ts';
import { startSplitService, type Program, type SplitService } from '../harness/processes.ts';
import { EVERY_SCOPE, startService, type TestService } from '../harness/service.ts';
import { openStaff } from '../harness/staff.ts';
import { startStoreProxy } from '../harness/storeProxy.ts';
import { expectError } from '../harness/tenant.ts';
import { natsOf } from '../resilience/nats.ts';

/*
 * After an override the checked copy is drawn again (docs/architecture.md#checked-copy). Question 1 is answered on the
 * copy and gets both of its 2 marks from the model; question 2, of 1 mark, has no answer.
 *
 * Grading and drawing a copy take seconds of CPU, so the tests share copies, one after the other: each sets the marks
 * that it checks.
 */

vi.setConfig({ testTimeout: 150_000, hookTimeout: 150_000 });

const NAME = 'Zebulon Quackenbush';
const GRADER = (model: ModelServer): Record<string, string> => ({
  GRADER: 'openai',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_API_KEY: 'sk-not-a-real-key',
  GRADER_MODEL: 'perfect-reader-1',
  TICK_MS: '400',
});

const model = closedAfterTests(await startModelServer());
model.know({ pagesByNumber: { 1: { blocks: [{ label: 'Q1', text: 'Because of this.' }] } } });
const bucket = await newBucket();
const store = closedAfterTests(await startStoreProxy(bucket.endpoint));

const ownStore = (): Record<string, string> => ({
  S3_ENDPOINT: store.endpoint,
  S3_ACCESS_KEY_ID: bucket.accessKeyId,
  S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
  S3_BUCKET: bucket.bucket,
});

interface Graded {
  api: ApiClient;
  id: string;
  questions: [string, string];
}

const gradedCopy = async (api: ApiClient, change: { blind?: boolean } = {}): Promise<Graded> => {
  const exam = await createExam(api, handwrittenExam(change));
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: 'candidate-1', name: NAME },
    upload_id: await uploadCopy(api, plainPdf(1)),
  });
  expect(await untilOver(api, id)).toMatchObject({ status: 'graded' });
  const { questions, totals } = await resultOf(api, id);
  expect(totals).toMatchObject({ awarded: 2, max: 3 });
  const [first, second] = questions.map(({ question_id }) => question_id);
  if (first === undefined || second === undefined) throw new Error('the paper has two questions');
  return { api, id, questions: [first, second] };
};

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

const override = async (
  { api, id }: Graded,
  question: string,
  awarded: number,
  reason?: string,
): Promise<void> => {
  const { status, body } = await api.patch<QuestionResult>(`/submissions/${id}/questions/${question}`, {
    reviewer: 'teacher-1',
    awarded,
    ...(reason === undefined ? {} : { reason }),
  });
  expect({ status, body }).toMatchObject({ status: 200, body: { awarded, source: 'ai_reviewed' } });
};

const textOf = async (pdf: Uint8Array): Promise<string> =>
  (await textOfPages(pdf)).join('\n').replace(/\s+/g, ' ');

/** Text of the checked copy; null while there is none. Checks that the result agrees. */
const shown = async ({ api, id }: Graded): Promise<string | null> => {
  const response = await api.send(`/submissions/${id}/checked-copy`, {});
  if (response.status === 200) return textOf(new Uint8Array(await response.arrayBuffer()));
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found' } },
  });
  return null;
};

/** Polls no faster than this, to leave CPU for drawing. */
const POLL_MS = 150;
const drawn = (copy: Graded): Promise<string> =>
  eventually('the checked copy is drawn anew', async () => {
    const text = await shown(copy);
    if (text === null) await wait(POLL_MS);
    return text ?? undefined;
  });

/** Marks of question 1 and the total, wherever they appear: in the margin, the summary's row and its total. */
const expectMarks = (text: string, awarded: number, total: number): void => {
  expect(text).toContain(`Q1 ${awarded}/2`);
  expect(text).toContain(`${awarded} / 2`);
  expect(text).toContain(`${total} / 3`);
};
const expectNoTrace = (text: string, awarded: number, total: number): void => {
  expect(text).not.toContain(`Q1 ${awarded}/2`);
  expect(text).not.toMatch(new RegExp(`(^|[ •])${awarded} ?/ ?2( |$)`));
  expect(text).not.toMatch(new RegExp(`(^|[ •])${total} ?/ ?3( |$)`));
};

describe('a teacher changes marks', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ ...GRADER(model), ...ownStore() });
  });
  afterAll(() => service.close());

  const named = once(() => gradedCopy(service.api));
  const blind = once(() => gradedCopy(service.api, { blind: true }));

  const drawingsOf = ({ id }: Graded) =>
    behind<{ attempts: number; released_at: Date | null }>(
      service.database,
      'select attempts, released_at from copy_drawings where submission_id = $1',
      [id],
    );
  const instituteOf = async ({ id }: Graded): Promise<string> => {
    const [row] = await behind<{ institute_id: string }>(
      service.database,
      'select institute_id from submissions where id = $1',
      [id],
    );
    return row?.institute_id ?? '';
  };
  /** Writes on the first page; without a text, removes what was written. */
  const write = async (copy: Graded, text: string | null, id: string): Promise<void> => {
    const staff = closedAfterTests(await openStaff(service));
    const ink = { kind: 'text' as const, page: 1, at: [0.2, 0.5] as [number, number], text: text ?? '' };
    const change = text === null ? { add: [], remove: [id] } : { add: [{ id, ink }], remove: [] };
    await staff.as(await instituteOf(copy)).desk.marking.ink.mutate({ submission_id: copy.id, ...change });
    await letTimePass(service, copy);
  };
  const filesOf = async (copy: Graded): Promise<string[]> => {
    const direct = objectStore(bucket);
    try {
      return await Array.fromAsync(direct.list(checkedCopyPrefix(await instituteOf(copy), copy.id)));
    } finally {
      direct.close();
    }
  };
  const isDrawing = ({ path, method }: { path: string; method: string }): boolean =>
    method === 'PUT' && path.includes('/redrawn-');

  test('the checked copy is not available until it shows the new mark and total', async () => {
    const copy = await named();
    expectMarks((await shown(copy)) ?? '', 2, 2);
    await override(copy, copy.questions[0], 0.5);
    const before = (await copy.api.get<Submission>(`/submissions/${copy.id}`)).body;
    const { checked_copy } = await resultOf(copy.api, copy.id);
    if (!checked_copy.available) expect(checked_copy.download_path).toBeNull();
    const text = await drawn(copy);
    expectMarks(text, 0.5, 0.5);
    expect(text).toContain(NAME);
    expectNoTrace(text, 2, 2);
    const after = (await copy.api.get<Submission>(`/submissions/${copy.id}`)).body;
    expect(await resultOf(copy.api, copy.id)).toMatchObject({
      checked_copy: { available: true, download_path: `/submissions/${copy.id}/checked-copy` },
      totals: { awarded: 0.5 },
    });
    if (!checked_copy.available)
      expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect(await drawingsOf(copy)).toEqual([]);
    await eventually('the earlier checked copy is deleted', async () => (await filesOf(copy)).length === 1);
  });

  test('a teacher who confirms the mark leaves all that the AI wrote, and the comment is on the copy', async () => {
    const copy = await gradedCopy(service.api);
    const before = (await shown(copy)) ?? '';
    const comment = 'Write the unit too.';
    await override(copy, copy.questions[0], 2, comment);
    const text = await drawn(copy);
    expect(text.replace(`Teacher: ${comment} `, '')).toBe(before);
    expect(text).not.toBe(before);
    await override(copy, copy.questions[0], 1, comment);
    const changed = await drawn(copy);
    expect(changed).toContain(`Teacher: ${comment}`);
    expectMarks(changed, 1, 1);
  });

  test('what a teacher wrote on the page is on the next copy, until it is removed', async () => {
    const copy = await named();
    const stroke = randomUUID();
    await write(copy, 'See page 4', stroke);
    expect(await drawn(copy)).toContain('See page 4');
    await write(copy, null, stroke);
    expect(await drawn(copy)).not.toContain('See page 4');
  });

  test('no name is on the new copy of a blind exam', async () => {
    const copy = await blind();
    await override(copy, copy.questions[0], 1);
    const text = await drawn(copy);
    expectMarks(text, 1, 1);
    const bytes = Buffer.from(await copy.api.download(`/submissions/${copy.id}/checked-copy`));
    for (const part of NAME.split(' ')) {
      expect(text).not.toContain(part);
      expect(bytes.includes(part)).toBe(false);
    }
  });

  test('a drawing during which a mark changed is never shown', async () => {
    const copy = await named();
    const changed = Promise.withResolvers<void>();
    store.beforeNext(isDrawing, () => override(copy, copy.questions[0], 1.5).then(changed.resolve));
    await override(copy, copy.questions[0], 0.5);
    await changed.promise;
    const text = await drawn(copy);
    expectMarks(text, 1.5, 1.5);
    expectNoTrace(text, 0.5, 0.5);
  });

  test('a re-evaluation that keeps a mark draws it, and one that drops the mark draws its own', async () => {
    const copy = await named();
    await write(copy, 'See page 5', randomUUID());
    // Not awaited: the run draws the copy, so the drawing under way is obsolete.
    await override(copy, copy.questions[0], 0.5);
    const again = async (keep: boolean): Promise<Result> => {
      const asked = await copy.api.post(`/submissions/${copy.id}/re-evaluate`, { keep_overrides: keep });
      expect(asked.status).toBe(202);
      await untilOver(copy.api, copy.id);
      return resultOf(copy.api, copy.id);
    };
    expect(await again(true)).toMatchObject({ totals: { awarded: 0.5 }, checked_copy: { available: true } });
    const kept = (await shown(copy)) ?? '';
    expectMarks(kept, 0.5, 0.5);
    expect(kept).toContain('See page 5');
    expectNoTrace(kept, 2, 2);
    expect(await again(false)).toMatchObject({ totals: { awarded: 2 }, checked_copy: { available: true } });
    expectMarks((await shown(copy)) ?? '', 2, 2);
    await eventually('no drawing is wanted', async () => (await drawingsOf(copy)).length === 0);
  });

  test('a copy that cannot be drawn is given up, does not delay other copies, and the next change tries again', async () => {
    const [broken, sound] = [await named(), await blind()];
    const [upload] = await behind<{ sealed_key: string }>(
      service.database,
      'select u.sealed_key from uploads u join submissions s on s.upload_id = u.id where s.id = $1',
      [broken.id],
    );
    const direct = objectStore({ ...bucket, region: 'us-east-1' });
    const sealed = upload?.sealed_key ?? '';
    await direct.put(sealed, Buffer.from('no PDF at all'), 'application/pdf');
    await override(broken, broken.questions[0], 0.5);
    await override(sound, sound.questions[0], 0.5);
    expectMarks(await drawn(sound), 0.5, 0.5);

    const seen = new Set<number>();
    await eventually('it is given up', async () => {
      const [drawing] = await drawingsOf(broken);
      if (drawing === undefined) return true;
      seen.add(drawing.attempts);
      await letTimePass(service, broken);
      return false;
    });
    expect(Math.max(...seen), 'tried more than once').toBeGreaterThanOrEqual(2);
    expect(await shown(broken)).toBeNull();
    expect(await resultOf(broken.api, broken.id)).toMatchObject({
      status: 'graded',
      totals: { awarded: 0.5 },
      checked_copy: { available: false, download_path: null },
    });

    await direct.put(sealed, plainPdf(1), 'application/pdf');
    direct.close();
    await override(broken, broken.questions[0], 1);
    expectMarks(await drawn(broken), 1, 1);
  });

  test('after several changes the last copy shows the latest marks, and no copy ever shows older ones', async () => {
    const copy = await named();
    for (const awarded of [0.5, 1, 1.5]) {
      await override(copy, copy.questions[0], awarded);
      const now = await shown(copy);
      if (now !== null) expectMarks(now, awarded, awarded);
    }
    // Question 2 has no answer on the copy: its mark stands after that of question 1.
    await override(copy, copy.questions[1], 1);
    const text = await drawn(copy);
    expectMarks(text, 1.5, 2.5);
    expect(text).toMatch(/Q1 1.5\/2 Q2 1\/1.*1 \/ 1/);
    expect(text).not.toContain('Not answered');
    for (const old of [0.5, 1, 1.5, 2]) expectNoTrace(text, old === 1.5 ? 0 : old, old);
  });

  test('a deleted submission has no checked copy and no drawing', async () => {
    const copy = await blind();
    await override(copy, copy.questions[0], 1.5);
    expect((await copy.api.delete(`/submissions/${copy.id}`)).status).toBe(200);
    await eventually('no drawing is wanted', async () => {
      await letTimePass(service, copy);
      return (await drawingsOf(copy)).length === 0;
    });
    expectError(await copy.api.get(`/submissions/${copy.id}/checked-copy`), 404, 'not_found');
  });
});

const letTimePass = (service: Pick<TestService, 'database'>, { id }: Graded) =>
  behind(
    service.database,
    `update copy_drawings set released_at = released_at - interval '1 hour', claimed_at = claimed_at - interval '1 hour',
       wanted_at = wanted_at - interval '1 hour'
     where submission_id = $1`,
    [id],
  );

describe('a drawing is lost', () => {
  let service: SplitService;
  let teacher: ApiClient;
  beforeAll(async () => {
    service = await startSplitService({ ...GRADER(model), ...ownStore(), DRAW_CONCURRENCY: '0' });
    const { api_key } = await service.newKey(EVERY_SCOPE);
    teacher = apiClient(service.api.baseUrl, api_key);
  });
  afterAll(() => service.close());

  const graded = once(async () => {
    const worker = await service.startWorker();
    const copy = await gradedCopy(teacher);
    await worker.kill();
    return copy;
  });
  const startDrawing = () =>
    service.startWorker({ DRAW_CONCURRENCY: '1', COPY_CONCURRENCY: '0', TYPED_CONCURRENCY: '0' });
  let drawer: Program | undefined;

  test('with its whole lane: it is published again, and drawn', async () => {
    const copy = await graded();
    await override(copy, copy.questions[0], 0.5);
    const first = await eventually('it is released', async () => {
      const [drawing] = await behind<{ delivery: number }>(
        service.database,
        'select delivery from copy_drawings where submission_id = $1 and released_at is not null',
        [copy.id],
      );
      return drawing?.delivery;
    });
    const nats = await natsOf(service.environment);
    await (await jetstreamManager(nats)).streams.delete(`${service.environment['LANE_NAMESPACE']}_draw`);
    await nats.close();
    drawer = await startDrawing();
    await letTimePass(service, copy);
    expectMarks(await drawn(copy), 0.5, 0.5);
    expect(await behind(service.database, 'select from copy_drawings')).toEqual([]);
    expect(first).toBeGreaterThan(0);
  });

  test.each([
    ['killed before it is stored: another worker draws it once its lease has expired', 'SIGKILL', 1],
    ['stopped: the drawing is handed back, and another worker draws it at once', 'SIGTERM', 1.5],
  ] as const)('with its worker, %s', async (_name, signal, awarded) => {
    const copy = await graded();
    const doomed = drawer ?? (await startDrawing());
    store.beforeNext(
      ({ path, method }) => method === 'PUT' && path.includes('/redrawn-'),
      async () => {
        doomed.signal(signal);
        await doomed.exited;
      },
    );
    await override(copy, copy.questions[0], awarded);
    await doomed.exited;
    expect(await shown(copy)).toBeNull();
    drawer = await startDrawing();
    if (signal === 'SIGKILL') await letTimePass(service, copy);
    expectMarks(await drawn(copy), awarded, awarded);
  });
});
