import type { Recorded, RecordedBatch } from '@evaluation/core-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { openRecords, type RunRecords } from './records.ts';

/* Batches of a run, against a core that answers when the test lets it. */

const DONE: Recorded = { standing: [], found: [], completed: true };
const used = () => ({
  grader: { provider: 'p', model: 'm', prompt_versions: [] },
  usage: {
    calls: 0,
    input_tokens: 0,
    cached_input_tokens: 0,
    output_tokens: 0,
    duration_ms: 0,
    cost: null,
    by_call: {},
  },
});
const questionOf = (question_id: string, feedback = 'Well done.') => ({
  result: {
    question_id,
    status: 'graded' as const,
    awarded: 1,
    confidence: 0.9,
    needs_review: false,
    review_reasons: [],
    extracted_answer: null,
    feedback,
    criteria: [],
    annotations: [],
    error: null,
  },
});

let sent: RecordedBatch[];
let answers: (() => Promise<Recorded>)[];
let records: RunRecords;
beforeEach(() => {
  sent = [];
  answers = [];
  records = openRecords(async (batch) => {
    sent.push(batch);
    return (await answers.shift()?.()) ?? DONE;
  });
  records.reportUsage(used);
});

const idsOf = ({ questions }: RecordedBatch): string[] =>
  (questions ?? []).map(({ result }) => result.question_id);

test('a record that core refuses by its form fails its question; the others and the run go on', async () => {
  const isLong = ({ result }: { result: { feedback: string | null } }) => (result.feedback ?? '').length > 10;
  const core = openRecords(
    async (batch) => {
      sent.push(batch);
      if ((batch.questions ?? []).some(isLong)) throw new RangeError('too long');
      return DONE;
    },
    (error) => error instanceof RangeError,
  );
  core.reportUsage(used);
  const results = [questionOf('1', 'Good.'), questionOf('2', 'x'.repeat(20)), questionOf('3', 'Good.')];
  const recorded = results.map((result) => core.question(result));
  expect(await Promise.all(recorded)).toMatchObject([
    { question_id: '1', status: 'graded' },
    { question_id: '2', status: 'failed', awarded: null, needs_review: true },
    { question_id: '3', status: 'graded' },
  ]);
  await core.complete({ checked_copy: null, review_reasons: [] });
  expect(sent.at(-1)).toHaveProperty('completion');
});

describe('records of a run', () => {
  test('that are made together are sent in one call, with step and usage', async () => {
    records.step('grading');
    const results = ['1', '2', '3'].map((id) => records.question(questionOf(id)));
    expect(await Promise.all(results)).toMatchObject([
      { question_id: '1' },
      { question_id: '2' },
      { question_id: '3' },
    ]);
    expect(sent).toMatchObject([{ step: 'grading', used: used() }]);
    expect(sent.map(idsOf)).toEqual([['1', '2', '3']]);
  });

  test('that are made while a batch is in flight are sent in the next one', async () => {
    const first = Promise.withResolvers<Recorded>();
    answers.push(() => first.promise);
    const [one, flushed] = [records.question(questionOf('1')), records.flush()];
    while (sent.length === 0) await Promise.resolve();
    const two = records.question(questionOf('2'));
    first.resolve(DONE);
    await Promise.all([one, two, flushed]);
    expect(sent.map(idsOf)).toEqual([['1'], ['2']]);
  });

  test('complete the run with its last questions in one call; a flush without records sends nothing', async () => {
    void records.question(questionOf('1'));
    await records.complete({ checked_copy: null, review_reasons: [] });
    await records.flush();
    expect(sent).toMatchObject([{ completion: { checked_copy: null } }]);
    expect(sent.map(idsOf)).toEqual([['1']]);
  });

  test('are sent with a look-up, and before the call that completes the run if they are pages', async () => {
    records.pages({ first_page: 1, pages: [] });
    await records.find(['a'.repeat(64)]);
    records.pages({ first_page: 5, pages: [] });
    await records.complete({ checked_copy: null, review_reasons: [] });
    expect(
      sent.map(({ pages, find, completion }) => [pages?.length, find?.length, completion !== undefined]),
    ).toEqual([
      [1, 1, false],
      [1, undefined, false],
      [0, undefined, true],
    ]);
  });

  test('are sent again with the judgement that counts, before the run is complete', async () => {
    const stands = { question_id: '2', run_id: 'r', evidence: ['shared'] };
    answers.push(async () => ({ standing: [stands], found: [], completed: false }));
    void records.question(questionOf('1'));
    const shared = records.question(questionOf('2'), () => questionOf('2', 'As for the others.'));
    await records.complete({ checked_copy: null, review_reasons: [] });
    expect(await shared).toMatchObject({ feedback: 'As for the others.' });
    expect(sent.map(idsOf)).toEqual([['1', '2'], ['2']]);
  });

  test('that core refuses end the run: no later call succeeds', async () => {
    answers.push(() => Promise.reject(new Error('refused')));
    await expect(records.question(questionOf('1'))).rejects.toThrow('refused');
    expect(() => records.question(questionOf('2'))).toThrow('refused');
    await expect(records.complete({ checked_copy: null, review_reasons: [] })).rejects.toThrow('refused');
    expect(sent).toHaveLength(1);
  });

  test('that are large are split into several calls', async () => {
    const text = 'x'.repeat(5 * 1024 * 1024);
    for (const id of ['1', '2', '3']) void records.question({ ...questionOf(id), evidence: { text } });
    await records.flush();
    expect(sent.map(idsOf)).toEqual([['1'], ['2'], ['3']]);
  });

  test('are sent by another call when the run is handed back: those in flight and those pending', async () => {
    answers.push(() => new Promise(() => {}));
    void records.question(questionOf('1'));
    void records.flush();
    while (sent.length === 0) await Promise.resolve();
    void records.question(questionOf('2'));
    const left: string[][] = [];
    await records.sendLeft(async (batch) => {
      left.push(idsOf(batch));
      return DONE;
    });
    expect(left).toEqual([['1'], ['2']]);
  });
});
