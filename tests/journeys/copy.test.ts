import { setTimeout as wait } from 'node:timers/promises';
import { readBundle, replay } from '@evaluation/grader/evidence';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account, Exam, Result, Submission } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { copyPdf, copyTruth, examBody, type Box, type CopyName } from '../fixtures/fixtures.ts';
import { createExam, resultOf, submit, untilOver, uploadCopy } from '../harness/api.ts';
import { handwrittenExam } from '../harness/papers.ts';
import { plainPdf, textOfPages } from '../harness/pdfs.ts';
import { evidenceOf, marksOf } from '../harness/replayOf.ts';
import { truthFor } from '../harness/perfectReader.ts';
import { newTenant, wholeFeed, type Tenant } from '../harness/tenant.ts';
import { startWithModel } from '../harness/service.ts';

/*
 * A scanned copy, from upload to checked copy, graded by the `openai` provider over HTTP. The model server reads the
 * true content of the pages and marks like the careful examiner of the fixtures.
 */

const CALL_MS = 60;
const POLL_MS = 25;

const { model, service } = await startWithModel({
  GRADER_MODEL: 'perfect-reader-1',
  // One question after the other, so that each step of the progress is visible.
  QUESTION_CONCURRENCY: '1',
});
closedAfterTests(service);

interface Journey {
  tenant: Tenant;
  exam: Exam;
  accepted: Submission;
  /** Of the day, when the copy was accepted. */
  quotaUsed: number;
  readings: Submission[];
  /** The submission as the feed showed it, at each change. */
  inFeed: Submission[];
  graded: Submission;
  result: Result;
  checkedCopy: Uint8Array;
  requests: string;
}

const NAME = 'Zebulon Quackenbush';

const journeyOf = async (name: CopyName): Promise<Journey> => {
  const tenant = await newTenant(service, { credits: 50 });
  const { api } = tenant;
  model.reset();
  model.know(truthFor(copyTruth(name)));
  model.behave(() => ({ kind: 'slow', ms: CALL_MS }));
  const opened = await createExam(api, examBody('science'));
  const accepted = await submit(api, opened.id, {
    candidate: { external_id: 'candidate-1', name: NAME, roll_number: copyTruth(name).roll_number },
    upload_id: await uploadCopy(api, copyPdf(name)),
  });
  // At once: the quota counts from midnight on.
  const quotaUsed = (await api.get<Account>('/me')).body.quota_used_today;
  const readings: Submission[] = [accepted];
  const inFeed: Submission[] = [];
  let over = false;
  const watching = (async () => {
    for (let since = accepted.updated_at; !over;) {
      for (const row of await wholeFeed(api, `updated_since=${since}`)) {
        if (row.updated_at === inFeed.at(-1)?.updated_at) continue;
        inFeed.push(row);
        since = row.updated_at;
      }
      await wait(POLL_MS);
    }
  })();
  const graded = await untilOver(api, accepted.id, (reading) => readings.push(reading)).finally(() => {
    over = true;
  });
  await watching;
  inFeed.push(...(await wholeFeed(api, `updated_since=${graded.updated_at}`)));
  return {
    tenant,
    exam: opened,
    accepted,
    quotaUsed,
    readings,
    inFeed,
    graded,
    result: await resultOf(api, accepted.id, '?include=annotations,model_answer'),
    checkedCopy: await api.download(`/submissions/${accepted.id}/checked-copy`),
    requests: JSON.stringify(model.calls),
  };
};

const changes = <T>(values: T[]): T[] => values.filter((value, index) => value !== values[index - 1]);
/** A submission without `updated_at` and the fields computed on read: place in the queue and estimates. */
const visible = ({ queue: _queue, updated_at: _at, progress, ...rest }: Submission): string =>
  JSON.stringify({ ...rest, done: progress?.questions_done });

const centre = ({ x, y, width, height }: Box): { x: number; y: number } => ({
  x: x + width / 2,
  y: y + height / 2,
});
/** Allowed distance as a fraction of the page: pages are straightened by up to a degree or so before they are read. */
const NEAR = 0.05;
const isNear = (box: Box, around: Box): boolean => {
  const { x, y } = centre(box);
  return (
    x > around.x - NEAR &&
    x < around.x + around.width + NEAR &&
    y > around.y - NEAR &&
    y < around.y + around.height + NEAR
  );
};

describe.each(['strong', 'weak'] as const)('scanned copy %s', (name) => {
  const truth = copyTruth(name);
  let journey: Journey;
  beforeAll(async () => {
    journey = await journeyOf(name);
  });

  test('the marks per question and criterion are the examiner’s, and the service adds them up', () => {
    const { result } = journey;
    expect(result.status).toBe('graded');
    expect(result.questions.map(({ label, awarded, max }) => ({ label, awarded, max }))).toEqual(
      truth.questions.map(({ label, awarded, max }) => ({ label, awarded, max })),
    );
    for (const [index, { criteria, status }] of truth.questions.entries()) {
      if (status === 'not_answered' || criteria.length === 0) continue;
      expect(
        result.questions[index]?.criteria.map(({ name: criterion, awarded, max }) => ({
          name: criterion,
          awarded,
          max,
        })),
      ).toEqual(criteria.map(({ name: criterion, awarded, max }) => ({ name: criterion, awarded, max })));
    }
    expect(result.totals).toMatchObject({ ...truth.totals, questions_failed: 0 });
    expect(result.totals.percentage).toBeCloseTo((100 * truth.totals.awarded) / truth.totals.max, 2);
  });

  test('an answered question has its text, feedback, criteria and source; any other is not_answered', () => {
    for (const [index, { label, status, text, feedback }] of truth.questions.entries()) {
      const question = journey.result.questions[index];
      if (status === 'not_answered') {
        expect(question).toMatchObject({ label, status, awarded: 0, source: null, extracted_answer: null });
        expect(question).toMatchObject({ annotations: [], criteria: [], feedback: null, counted: true });
        continue;
      }
      expect(question).toMatchObject({ label, status: 'graded', source: 'ai', feedback, error: null });
      expect(question?.extracted_answer?.split(/\s+/)).toEqual(text?.split(/\s+/));
      expect(question?.confidence).toBeGreaterThanOrEqual(0);
      expect(question?.needs_review).toBe((question?.confidence ?? 0) < 0.6);
      for (const { reason } of question?.criteria ?? []) expect(reason).not.toBe('');
    }
    expect(journey.result.questions[8]?.model_answer).toMatch(/^The inner lining/);
  });

  test('a replay of the evidence alone gives every mark, flag and feedback again, and the evidence has no name or key', async () => {
    const { accepted, result, tenant } = journey;
    const evidence = await evidenceOf(service.environment, accepted.id);
    const { outcome, differences } = replay(readBundle(evidence));
    expect(differences).toEqual([]);
    expect(outcome).toEqual(marksOf(result));
    for (const secret of [NAME, 'candidate-1', 'sk-not-a-real-key', tenant.api.apiKey]) {
      expect(evidence).not.toContain(secret);
    }
  });

  test('annotations lie inside the page, near their answer', () => {
    for (const { label, status, annotations } of journey.result.questions) {
      if (status !== 'graded') continue;
      const blocks = truth.pages.flatMap(({ page, blocks: on }) =>
        on.filter((block) => block.label === label && !block.crossed_out).map(({ box }) => ({ page, box })),
      );
      expect(annotations?.some(({ kind }) => kind === 'mark')).toBe(true);
      for (const { page, box, text } of annotations ?? []) {
        expect(text).not.toBe('');
        expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0);
        expect(Math.max(box.x + box.width, box.y + box.height)).toBeLessThanOrEqual(1.0001);
        expect(Math.min(box.width, box.height)).toBeGreaterThan(0);
        expect({
          label,
          page,
          box,
          near: blocks.some((block) => block.page === page && isNear(box, block.box)),
        }).toMatchObject({
          near: true,
        });
      }
    }
  });

  test('the checked copy is a PDF of the source’s pages and a summary with name, marks and feedback', async () => {
    const { tenant, accepted, result, checkedCopy } = journey;
    expect(result.checked_copy).toEqual({
      available: true,
      download_path: `/submissions/${accepted.id}/checked-copy`,
    });
    const response = await tenant.api.send(result.checked_copy.download_path ?? '', { method: 'GET' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(Number(response.headers.get('content-length'))).toBe(checkedCopy.byteLength);
    expect(Buffer.from(await response.arrayBuffer()).equals(checkedCopy)).toBe(true);
    const withoutKey = await fetch(`${tenant.api.baseUrl}/submissions/${accepted.id}/checked-copy`);
    await withoutKey.arrayBuffer();
    expect(withoutKey.status).toBe(401);

    const pages = await textOfPages(checkedCopy);
    expect(pages.length).toBeGreaterThan(truth.pages.length);
    const text = pages.join('\n').replace(/\s+/g, ' ');
    const summary = pages.slice(truth.pages.length).join('\n').replace(/\s+/g, ' ');
    expect(summary).toContain(NAME);
    expect(summary).toContain(truth.roll_number);
    expect(summary).toContain(`${truth.totals.awarded}`);
    for (const { label, awarded, max, status, feedback } of truth.questions) {
      if (status === 'not_answered') continue;
      expect(text).toContain(`Q${label} ${awarded}/${max}`);
      expect(summary).toContain(feedback.slice(0, 20));
    }
  });

  test('the status goes queued → processing → reading → grading → graded, and never back', () => {
    const order = ['queued', 'processing', 'reading', 'grading', 'graded'];
    const seen = changes(journey.readings.map(({ status }) => status));
    expect(seen).toEqual(order.filter((status) => seen.includes(status as Submission['status'])));
    expect(seen).toEqual(expect.arrayContaining(['queued', 'grading', 'graded']));
  });

  test('progress counts the questions from none to all, and the queue is null once grading has started', () => {
    const { readings, graded } = journey;
    const total = truth.questions.length;
    const done = readings.map(({ progress }) => progress?.questions_done ?? -1);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect([done[0], done.at(-1)]).toEqual([0, total]);
    // Results are recorded in batches, so a fast model is seen in few steps.
    expect(new Set(done).size).toBeGreaterThanOrEqual(2);
    for (const { status, queue, progress } of readings) {
      expect(progress?.questions_total).toBe(total);
      expect(queue === null).toBe(status !== 'queued');
      const isRunning = ['processing', 'reading', 'grading'].includes(status);
      expect(progress?.estimated_ready_at !== undefined).toBe(isRunning);
      if (status === 'queued') expect(progress?.questions_done).toBe(0);
    }
    expect(graded).toMatchObject({ attempt_count: 1, rubric_version: 1, error: null });
    // All ink is accounted for: a page of print between two written pages is no doubt, and a 0 needs no teacher.
    expect(graded).toMatchObject({ needs_review: false, review_reasons: [] });
  });

  test('the pages are charged, and the copy counts towards the daily quota', async () => {
    const { accepted, graded, quotaUsed, result, tenant } = journey;
    const pages = truth.pages.length;
    expect(accepted).toMatchObject({
      pages,
      credits_charged: null,
      quote: { unit: 'page', pages, credits: pages, rate_source: 'standard' },
    });
    for (const { status, credits_charged } of journey.readings) {
      if (status !== 'graded') expect(credits_charged).toBeNull();
    }
    expect(graded.credits_charged).toBe(pages);
    expect(result.credits_charged).toBe(pages);
    expect(await tenant.credits()).toEqual({ balance: 50 - pages, credit_limit: 0, committed: 0 });
    expect(quotaUsed).toBe(1);
  });

  test('updated_at grows with every visible change, and the feed shows the submission again each time', () => {
    const { readings, inFeed, graded } = journey;
    for (const [index, reading] of readings.entries()) {
      const before = readings[index - 1];
      if (before === undefined) continue;
      const grown = Date.parse(reading.updated_at) - Date.parse(before.updated_at);
      expect(grown).toBeGreaterThanOrEqual(0);
      if (visible(reading) !== visible(before)) expect(grown).toBeGreaterThan(0);
    }
    // The feed is polled, so on a busy machine it shows the latest of several changes.
    expect(new Set(inFeed.map(({ updated_at }) => updated_at)).size).toBeGreaterThanOrEqual(3);
    expect(changes(inFeed.map(({ status }) => status))).toEqual(
      expect.arrayContaining(['grading', 'graded']),
    );
    expect(inFeed.at(-1)).toEqual(graded);
  });

  test('the model gets the written pages and the questions, and no name, roll number or id of the candidate', () => {
    const { requests, exam } = journey;
    for (const secret of [NAME, 'Zebulon', 'Quackenbush', truth.roll_number, 'candidate-1', exam.id]) {
      expect(requests.includes(secret)).toBe(false);
    }
    expect(requests).toContain('Class: 10');
  });
});

describe('a blind exam', () => {
  const journeyWith = async (blind: boolean) => {
    const { api } = await newTenant(service);
    model.reset();
    model.know({ pagesByNumber: { 1: { blocks: [{ label: 'Q1', text: 'Because of this.' }] } } });
    const exam = await createExam(api, handwrittenExam({ blind }));
    const accepted = await submit(api, exam.id, {
      candidate: { external_id: 'candidate-1', name: NAME },
      upload_id: await uploadCopy(api, plainPdf(1)),
    });
    await untilOver(api, accepted.id);
    const checkedCopy = await api.download(`/submissions/${accepted.id}/checked-copy`);
    return {
      result: await resultOf(api, accepted.id, '?include=annotations'),
      text: (await textOfPages(checkedCopy)).join('\n').replace(/\s+/g, ' '),
      bytes: Buffer.from(checkedCopy),
      requests: JSON.stringify(model.calls),
    };
  };

  test('the name is in no result, in no checked copy, and in no request to the model', async () => {
    const { result, text, bytes, requests } = await journeyWith(true);
    expect(result).toMatchObject({
      status: 'graded',
      candidate: { name: null, external_id: 'candidate-1' },
      totals: { awarded: 2, max: 3 },
    });
    expect(requests).toContain('Because of this.');
    for (const part of NAME.split(' ')) {
      expect(text).not.toContain(part);
      expect(requests.includes(part)).toBe(false);
      expect(JSON.stringify(result)).not.toContain(part);
      expect(bytes.includes(part)).toBe(false);
    }
    // Counter-check of the search: the checked copy of an exam that is not blind contains the name.
    expect((await journeyWith(false)).text).toContain(NAME);
  });
});
