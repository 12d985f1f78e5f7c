import { describe, expect, test } from 'vitest';
import type { Exam, Submission, SubmissionList } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit, uploadCopy } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { plainPdf } from '../../harness/pdfs.ts';
import { gradeRun, takeRun } from '../../harness/takeRun.ts';
import {
  expectOk,
  newTenant,
  startIdleService,
  stored,
  wholeFeed,
  type Tenant,
} from '../../harness/tenant.ts';

const service = closedAfterTests(await startIdleService());

const PAPER = typedExam([mcq('1'), longAnswer('2'), longAnswer('3')]);
const ANSWERS = [
  { question_label: '1', option_labels: ['B'] },
  { question_label: '2', text: 'Because of this.' },
  { question_label: '3', text: 'Because of that.' },
];

interface Submitted {
  tenant: Tenant;
  exam: Exam;
  accepted: Submission;
  read(): Promise<Submission>;
}

const submitted = async (body: object = {}, paper: object = PAPER): Promise<Submitted> => {
  const tenant = await newTenant(service);
  const exam = await createExam(tenant.api, paper);
  const accepted = await submit(tenant.api, exam.id, {
    candidate: { external_id: 'asha' },
    answers: ANSWERS,
    ...body,
  });
  return { tenant, exam, accepted, read: () => readOf(tenant, accepted.id) };
};
const submittedCopy = async (pages: number): Promise<Submitted> => {
  const tenant = await newTenant(service);
  const exam = await createExam(tenant.api, handwrittenExam());
  const upload_id = await uploadCopy(tenant.api, plainPdf(pages));
  const accepted = await submit(tenant.api, exam.id, { candidate: { external_id: 'asha' }, upload_id });
  return { tenant, exam, accepted, read: () => readOf(tenant, accepted.id) };
};
const readOf = async ({ api }: Tenant, id: string): Promise<Submission> =>
  expectOk(await api.get<Submission>(`/submissions/${id}`));
const secondsAhead = (at: string | undefined, since: number): number => (Date.parse(at ?? '') - since) / 1000;

describe('the submission', () => {
  const FIELDS =
    'id exam_id candidate state status lane pages needs_review review_reasons finalized finalized_at progress queue ' +
    'attempt_count rubric_version credits_charged error metadata quote warnings created_at updated_at';

  test.each([
    ['a copy', () => submittedCopy(2)],
    ['typed answers', () => submitted()],
    ['a submission without answers', () => submitted({ answers: [] })],
  ])('create, get, the exam’s list and the feed return the same fields of %s', async (_name, create) => {
    const { tenant, exam, accepted, read } = await create();
    expect(Object.keys(accepted).toSorted()).toEqual(FIELDS.split(' ').toSorted());
    expect(accepted).toMatchObject({
      state: 'live',
      finalized: false,
      attempt_count: 1,
      error: null,
      metadata: null,
      warnings: [],
      created_at: expect.stringMatching(/Z$/),
    });
    const list = await tenant.api.get<SubmissionList>(`/exams/${exam.id}/submissions`);
    for (const shown of [await read(), ...list.body.data, ...(await wholeFeed(tenant.api))]) {
      expect(stored(shown)).toEqual(stored(accepted));
      if (shown.status === 'queued') {
        expect(Object.keys(shown.queue ?? {})).toEqual(['position', 'estimated_ready_at']);
      }
    }
    expect(list.body.data).toHaveLength(1);
  });

  test('`candidate` is its id and external_id, without name or roll number', async () => {
    const { accepted } = await submitted({
      candidate: { external_id: 'asha', name: 'Asha', roll_number: '7' },
    });
    expect(accepted.candidate).toEqual({ id: expect.any(String), external_id: 'asha' });
  });

  test('`lane` is copy with the page count of a handwritten copy, typed without pages', async () => {
    expect((await submittedCopy(3)).accepted).toMatchObject({
      lane: 'copy',
      pages: 3,
      quote: { unit: 'page', pages: 3, credits: 3, rate_source: 'standard' },
    });
    const { accepted } = await submitted();
    expect(accepted).toMatchObject({ lane: 'typed', pages: null });
    expect(accepted.quote).toEqual({ unit: 'answer', credits: 2, rate_source: 'standard' });
  });

  test('`review_reasons` apply to the whole submission, and `warnings` explain them', async () => {
    const long = (await submittedCopy(41)).accepted;
    expect(long).toMatchObject({
      needs_review: true,
      review_reasons: ['pages_beyond_vision_limit'],
      warnings: [{ code: 'pages_beyond_vision_limit', message: expect.any(String) }],
    });
    const { accepted, read } = await submitted();
    expect(accepted).toMatchObject({ needs_review: false, review_reasons: [], warnings: [] });
    const held = await takeRun(service, accepted.id);
    await held.complete(1, ['unassigned_ink']);
    expect(await read()).toMatchObject({ needs_review: true, review_reasons: ['unassigned_ink'] });
  });

  test('a question that needs review flags the submission, without adding a reason', async () => {
    const { accepted, read } = await submitted();
    const held = await takeRun(service, accepted.id);
    await held.complete({ 2: 1, 3: 'failed' });
    expect(await read()).toMatchObject({ needs_review: true, review_reasons: [] });
  });

  test('`finalized` has its time, and is false and null before', async () => {
    const { accepted, read } = await submitted({ answers: [] });
    expect(accepted).toMatchObject({ finalized: false, finalized_at: null });
    const at = '2026-03-04T05:06:07.089Z';
    await behind(service.database, 'update submissions set finalized_at = $1 where id = $2', [
      at,
      accepted.id,
    ]);
    expect(await read()).toMatchObject({ finalized: true, finalized_at: at });
  });
});

describe('progress and queue', () => {
  test('`progress` and `queue` are null when no AI grading is needed', async () => {
    for (const answers of [[], ANSWERS.slice(0, 1)]) {
      expect((await submitted({ answers })).accepted).toMatchObject({
        status: 'graded',
        progress: null,
        queue: null,
      });
    }
  });

  test('`queue` is set only while queued; `progress.estimated_ready_at` only while grading runs', async () => {
    const { accepted, read } = await submittedCopy(1);
    const seen: Submission[] = [accepted];
    const held = await takeRun(service, accepted.id);
    seen.push(await read());
    for (const step of ['reading', 'grading'] as const) {
      await held.step(step);
      seen.push(await read());
    }
    await held.mark(1);
    const asked = Date.now();
    seen.push(await read());
    await held.complete();
    seen.push(await read());

    expect(
      seen.map(({ status, queue, progress }) => ({
        status,
        place: queue?.position ?? null,
        done: progress?.questions_done,
        total: progress?.questions_total,
        estimated: progress?.estimated_ready_at !== undefined,
      })),
    ).toEqual([
      { status: 'queued', place: 0, done: 0, total: 2, estimated: false },
      { status: 'processing', place: null, done: 0, total: 2, estimated: true },
      { status: 'reading', place: null, done: 0, total: 2, estimated: true },
      { status: 'grading', place: null, done: 0, total: 2, estimated: true },
      { status: 'grading', place: null, done: 2, total: 2, estimated: true },
      { status: 'graded', place: null, done: 2, total: 2, estimated: false },
    ]);
    expect(secondsAhead(seen[4]?.progress?.estimated_ready_at, asked)).toBeGreaterThanOrEqual(30);
    for (const { progress } of seen) expect(progress?.step).toEqual(expect.any(String));
  });

  test.each(['failed', 'cancelled'] as const)('%s has neither a queue nor an estimate', async (status) => {
    const { tenant, accepted, read } = await submitted();
    const held = await takeRun(service, accepted.id);
    if (status === 'failed') await held.fail('nothing_readable');
    else await tenant.api.post(`/submissions/${accepted.id}/cancel`);
    const shown = await read();
    expect(shown).toMatchObject({
      status,
      queue: null,
      progress: { questions_done: 0, questions_total: 2 },
    });
    expect(shown.progress).not.toHaveProperty('estimated_ready_at');
  });

  test('the position counts earlier waiting and released runs, not those being graded or ended', async () => {
    const { tenant, exam, accepted: first } = await submitted();
    const [second, third, fourth] = [
      await submit(tenant.api, exam.id, { candidate: { external_id: 'b' }, answers: ANSWERS }),
      await submit(tenant.api, exam.id, { candidate: { external_id: 'c' }, answers: ANSWERS }),
      await submit(tenant.api, exam.id, { candidate: { external_id: 'd' }, answers: ANSWERS }),
    ];
    const places = async () =>
      (await wholeFeed(tenant.api))
        .toSorted((a, b) => a.candidate.external_id.localeCompare(b.candidate.external_id))
        .map(({ queue }) => queue?.position ?? null);
    expect(await places()).toEqual([0, 1, 2, 3]);

    await takeRun(service, first.id);
    expect(await places()).toEqual([null, 0, 1, 2]);
    const before = await readOf(tenant, fourth.id);
    await tenant.api.post(`/submissions/${second.id}/cancel`);
    expect(await places()).toEqual([null, null, 0, 1]);
    // The position is computed on read, so the row has not changed.
    expect((await readOf(tenant, fourth.id)).updated_at).toBe(before.updated_at);
    await tenant.api.delete(`/submissions/${third.id}`);
    expect(await places()).toEqual([null, null, null, 0]);
    // A re-evaluated submission queues behind those that came meanwhile.
    await tenant.api.post(`/submissions/${second.id}/re-evaluate`);
    expect(await places()).toEqual([null, 1, null, 0]);
  });

  test('estimates grow with the position, and are at least 30 seconds from now', async () => {
    const { tenant, exam } = await submitted();
    for (const external_id of ['b', 'c', 'd']) {
      await submit(tenant.api, exam.id, { candidate: { external_id }, answers: ANSWERS });
    }
    const asked = Date.now();
    const inLine = (await wholeFeed(tenant.api)).toSorted(
      (a, b) => (a.queue?.position ?? 0) - (b.queue?.position ?? 0),
    );
    const ahead = inLine.map(({ queue }) => secondsAhead(queue?.estimated_ready_at, asked));
    expect(ahead).toHaveLength(4);
    expect(ahead).toEqual(ahead.toSorted((a, b) => a - b));
    for (const seconds of ahead) expect(seconds).toBeGreaterThanOrEqual(30);
  });
});

describe('fields of the latest run', () => {
  test('`rubric_version` is null before a claim, then the run’s version, and the next run’s own', async () => {
    const { tenant, exam, accepted, read } = await submitted();
    expect(accepted.rubric_version).toBeNull();
    const first = await takeRun(service, accepted.id);
    expect((await read()).rubric_version).toBe(1);
    const { status } = await tenant.api.patch(`/exams/${exam.id}/rubrics`, {
      questions: { [exam.questions[1]?.id ?? '']: { model_answer: 'Another one.' } },
    });
    expect(status).toBe(200);
    await first.complete(1);
    expect((await read()).rubric_version).toBe(1);

    await tenant.api.post(`/submissions/${accepted.id}/re-evaluate`);
    expect((await read()).rubric_version).toBeNull();
    await gradeRun(service, accepted.id);
    expect(await read()).toMatchObject({ rubric_version: 2, attempt_count: 2 });
  });

  test('`credits_charged` is the quote once grading completes; null before, and for failed or cancelled runs', async () => {
    const { tenant, accepted, read } = await submitted();
    const again = async () => {
      await tenant.api.post(`/submissions/${accepted.id}/re-evaluate`);
      return takeRun(service, accepted.id);
    };
    const first = await takeRun(service, accepted.id);
    await first.mark(1);
    expect((await read()).credits_charged).toBeNull();
    await first.complete();
    expect((await read()).credits_charged).toBe(2);
    await (await again()).fail('timed_out');
    expect(await read()).toMatchObject({ status: 'failed', credits_charged: null });
    await again();
    await tenant.api.post(`/submissions/${accepted.id}/cancel`);
    expect(await read()).toMatchObject({ status: 'cancelled', credits_charged: null });
    const last = await again();
    await last.mark({ 2: 'failed' });
    await last.complete({ 3: 1 });
    expect(await read()).toMatchObject({ status: 'partially_graded', credits_charged: 2 });
    expect(accepted.quote.credits).toBe(2);
  });

  test('`error` is `{code, message}` when failed, and null otherwise', async () => {
    const { tenant, accepted, read } = await submitted();
    expect(accepted.error).toBeNull();
    await (await takeRun(service, accepted.id)).fail('nothing_readable');
    const { error } = await read();
    expect(error).toEqual({ code: 'copy_unreadable', message: expect.any(String) });
    await tenant.api.post(`/submissions/${accepted.id}/re-evaluate`);
    expect((await read()).error).toBeNull();
  });
});

describe('created_at and updated_at', () => {
  test('`updated_at` grows with every visible change and only then; `created_at` never changes', async () => {
    const { tenant, exam, accepted, read } = await submitted();
    let last = accepted;
    const changes = async (what: string, change: () => Promise<unknown>): Promise<void> => {
      await change();
      const now = await read();
      expect(stored(now), what).not.toEqual(stored(last));
      expect(Date.parse(now.updated_at), what).toBeGreaterThan(Date.parse(last.updated_at));
      expect(now.created_at, what).toBe(accepted.created_at);
      expect(stored(await read()), `reading after: ${what}`).toEqual(stored(now));
      last = now;
    };
    const command = (name: string) => () => tenant.api.post(`/submissions/${accepted.id}/${name}`);

    expect(accepted.updated_at).toBe(accepted.created_at);
    let held = await takeRun(service, accepted.id);
    await changes('claimed', () => Promise.resolve());
    await changes('a question', () => held.mark({ 2: 1 }));
    await changes('another question', () => held.mark({ 3: 1 }));
    await changes('completed', () => held.complete());
    await changes('evaluated again', command('re-evaluate'));
    await changes('cancelled', command('cancel'));
    await changes('evaluated once more', command('re-evaluate'));
    held = await takeRun(service, accepted.id);
    await changes('claimed again', () => Promise.resolve());
    await changes('failed', () => held.fail('timed_out'));
    await changes('replaced', () =>
      submit(tenant.api, exam.id, { candidate: { external_id: 'asha' }, answers: [], replace: true }),
    );
    expect(last).toMatchObject({ state: 'replaced' });

    const other = await submit(tenant.api, exam.id, { candidate: { external_id: 'b' }, answers: ANSWERS });
    await tenant.api.delete(`/submissions/${other.id}`);
    const deleted = await readOf(tenant, other.id);
    expect(deleted).toMatchObject({ state: 'deleted', created_at: other.created_at });
    expect(Date.parse(deleted.updated_at)).toBeGreaterThan(Date.parse(other.updated_at));
  });

  test('a refused change, a heartbeat and a repeated record do not change `updated_at`', async () => {
    const { tenant, accepted, read } = await submitted();
    const held = await takeRun(service, accepted.id);
    await held.mark({ 2: 1 });
    const before = await read();
    await held.mark({ 2: 0.5 });
    await held.step('processing');
    await tenant.api.post(`/submissions/${accepted.id}/re-evaluate`);
    expect((await read()).updated_at).toBe(before.updated_at);
  });
});
