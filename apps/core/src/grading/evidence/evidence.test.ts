import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { evidencePrefix, objectStore } from '@evaluation/object-store';
import { createLogger, metrics } from '@evaluation/platform/telemetry';
import { readPlan } from '@evaluation/test-services';
import { sql, type RawBuilder } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { TOKEN, TOKEN_SHA256 } from '../../../test/claimToken.ts';
import { usedUp } from '../../../test/usedUp.ts';
import { newTestCore } from '../../../test/newTestCore.ts';
import { NOTHING, recordBatch } from '../runs/record.ts';
import type { RecordedBatch, RecordedQuestion } from '../runs/recordedBatch.ts';
import type { HeldRun } from '../../command/locks/heldRun.ts';
import type { Services } from '../../command/services.ts';
import { unreachable } from '../../command/unreachable.ts';
import { expired, removeEvidence, unneededEvidence } from './removeEvidence.ts';
import { readEvidenceParts } from './showEvidence.ts';
import { MAX_PART_BYTES, putEvidence } from './storeEvidence.ts';

const {
  services,
  bucket,
  client: maker,
  close,
} = await newTestCore({ FILE_RETENTION_DAYS: '30', EVIDENCE_RETENTION_DAYS: '365' });
const { database, objects } = services;
afterAll(close);

const institute = randomUUID();
const questionId = randomUUID();

beforeEach(() => maker.query('truncate submissions cascade'));

const keepingNothing = (): Services => ({
  ...services,
  settings: { ...services.settings, evidence: { retentionDays: 0 } },
});

type Claimed = HeldRun & { submission_id: string };

const claimed = async (instituteId: string = institute): Promise<Claimed> => {
  const [run, submission] = [randomUUID(), randomUUID()];
  await maker.query(
    `insert into submissions (id, institute_id, exam_id, candidate_id, status, lane, review_reasons, current_run_id,
       questions_total, quote_unit, quote_credits, quote_rate_source, warnings)
     values ($1, $2, $3, $4, 'grading', 'typed', '{}', $5, 1, 'answer', 1, 'standard', '[]')`,
    [submission, instituteId, randomUUID(), randomUUID(), run],
  );
  await maker.query(
    `insert into runs (id, institute_id, submission_id, lane, attempt, status, fence, claim_token_sha256, price,
       paper)
     values ($1, $2, $3, 'typed', 1, 'claimed', 1, $4, 1, $5)`,
    [
      run,
      instituteId,
      submission,
      TOKEN_SHA256,
      JSON.stringify({ questions: [{ id: questionId, max_marks: 2 }] }),
    ],
  );
  return { run_id: run, institute_id: instituteId, fence: 1, token: TOKEN, submission_id: submission };
};

const result: RecordedQuestion = {
  question_id: questionId,
  status: 'graded',
  awarded: 2,
  confidence: 0.9,
  needs_review: false,
  review_reasons: [],
  extracted_answer: 'Ice floats.',
  feedback: 'Well done.',
  criteria: [],
  annotations: [],
  error: null,
};

type Batch = Partial<RecordedBatch>;
const recordQuestion = (
  by: Services,
  run: HeldRun,
  recorded: RecordedQuestion,
  { used, ...made }: Pick<Batch, 'used'> & Omit<RecordedBatch['questions'][number], 'result'> = {},
) => recordBatch(by, run, { ...NOTHING, questions: [{ result: recorded, ...made }], used });
const recordPages = (
  run: HeldRun,
  { used, ...pages }: Pick<Batch, 'used'> & Omit<RecordedBatch['pages'][number], 'pages'>,
) => recordBatch(services, run, { ...NOTHING, pages: [{ pages: [], ...pages }], used });

const partsOf = async (run: Claimed): Promise<{ kind: string; ref: string; content: unknown }[]> => {
  const { parts } = await readEvidenceParts(services, { ...run, after: null });
  return parts.map(({ kind, ref, content }) => ({ kind, ref, content }));
};
const objectsOf = async (run: Claimed): Promise<string[]> => {
  const keys: string[] = [];
  const prefix = evidencePrefix(run.institute_id, run.submission_id, run.run_id);
  for await (const key of objects.list(prefix)) keys.push(key);
  return keys;
};

const notKept = async (reason: string): Promise<number> =>
  (await metrics.evidenceNotKept.get()).values.find(({ labels }) => labels.reason === reason)?.value ?? 0;

describe('evidence and its record', () => {
  test('the first record stays, with its evidence', async () => {
    const run = await claimed();
    await recordQuestion(services, run, result, { evidence: { said: 'first' } });
    await recordQuestion(services, run, { ...result, awarded: 1 }, { evidence: { said: 'second' } });
    await recordPages(run, { first_page: 5, evidence: { b: 1, a: [2] } });
    await recordPages(run, { first_page: 5, evidence: { said: 'again' } });
    expect(await partsOf(run)).toEqual([
      { kind: 'pages', ref: '5', content: { a: [2], b: 1 } },
      { kind: 'question', ref: questionId, content: { said: 'first' } },
    ]);
  });

  test('a repeated write leaves one object and one row', async () => {
    const run = await claimed();
    for (let time = 0; time < 2; time += 1)
      await recordQuestion(services, run, result, { evidence: { said: 'once' } });
    expect(await objectsOf(run)).toHaveLength(1);
    expect(await partsOf(run)).toHaveLength(1);
  });

  test('all characters of a reply are returned unchanged', async () => {
    const run = await claimed();
    const content = { reply: 'nul \u0000, a lone \ud800, a snowman ☃', __proto__x: 1 };
    await recordQuestion(services, run, result, { evidence: content });
    expect(await partsOf(run)).toEqual([{ kind: 'question', ref: questionId, content }]);
  });

  test('while the object store is down recording fails, and the worker must retry', async () => {
    const run = await claimed();
    const away = objectStore({
      endpoint: 'http://127.0.0.1:1',
      region: 'us-east-1',
      bucket: 'none',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
    });
    const refusal: unknown = await recordQuestion({ ...services, objects: away }, run, result, {
      evidence: { said: 'lost' },
    }).catch((error: unknown) => error);
    expect(unreachable(refusal)).not.toBeNull();
    const { rows } = await maker.query('select from question_results');
    expect(rows).toHaveLength(0);
    away.close();
  });

  test('a mark is recorded if the store refuses its evidence; the loss is logged once a minute and counted', async () => {
    const before = await notKept('refused');
    const stream = new PassThrough();
    const log = createLogger({ service: 'test', level: 'warn', stream });
    for (const change of [{ secretAccessKey: 'of another time' }, { bucket: 'missing-bucket' }]) {
      const refusing = objectStore({ ...bucket, ...change });
      const run = await claimed();
      await recordQuestion({ ...services, objects: refusing, log }, run, result, {
        evidence: { said: 'refused' },
      });
      expect(await partsOf(run)).toEqual([]);
      refusing.close();
    }
    const { rows } = await maker.query('select from question_results');
    expect(rows).toHaveLength(2);
    const lines = String(stream.read()).trim().split('\n');
    expect(lines).toEqual([expect.stringContaining('refuses evidence')]);
    expect(await notKept('refused')).toBe(before + 2);
  });

  test('a part that is too large is left out and counted, and the mark is recorded', async () => {
    const [before, run] = [await notKept('too_large'), await claimed()];
    await recordQuestion(services, run, result, { evidence: { said: 'x'.repeat(MAX_PART_BYTES) } });
    expect(await partsOf(run)).toEqual([]);
    const { rows } = await maker.query('select from question_results');
    expect(rows).toHaveLength(1);
    expect(await notKept('too_large')).toBe(before + 1);
  });

  test('no part is stored if the worker sends none or the settings keep none', async () => {
    const [before, kept] = [await claimed(), await claimed()];
    await recordQuestion(services, before, result);
    await recordQuestion(keepingNothing(), kept, result, { evidence: { said: 'nothing' } });
    for (const run of [before, kept]) {
      expect([await partsOf(run), await objectsOf(run)]).toEqual([[], []]);
    }
  });

  test('a worker that does not hold the run stores no part', async () => {
    const run = await claimed();
    await expect(
      recordQuestion(services, { ...run, fence: 0 }, result, { evidence: { said: 'stale' } }),
    ).rejects.toMatchObject({ failure: { code: 'conflict' } });
    expect([await partsOf(run), await objectsOf(run)]).toEqual([[], []]);
  });
});

describe('a batch of records', () => {
  const pageOf = (first_page: number) => ({ first_page, pages: [], evidence: { read: first_page } });
  const batch = (): RecordedBatch => ({
    ...NOTHING,
    pages: [pageOf(1), pageOf(5)],
    alignment: { alignment: [], evidence: { aligned: true } },
    questions: [{ result, evidence: { said: 'nul \u0000, ☃' } }],
  });
  const parts = [
    { kind: 'pages', ref: '1', content: { read: 1 } },
    { kind: 'pages', ref: '5', content: { read: 5 } },
    { kind: 'alignment', ref: '', content: { aligned: true } },
    { kind: 'question', ref: questionId, content: { said: 'nul \u0000, ☃' } },
  ];

  test('has one object for all its evidence; a repetition changes nothing and leaves no object', async () => {
    const run = await claimed();
    for (let time = 0; time < 2; time += 1) await recordBatch(services, run, batch());
    expect(await partsOf(run)).toEqual(parts);
    expect(await objectsOf(run)).toHaveLength(1);
    const { rows } = await maker.query('select questions_done from submissions where id = $1', [
      run.submission_id,
    ]);
    expect(rows).toEqual([{ questions_done: 1 }]);
  });

  test('that arrives several times at once is recorded once', async () => {
    const run = await claimed();
    await Promise.all(Array.from({ length: 6 }, () => recordBatch(services, run, batch())));
    expect(await partsOf(run)).toEqual(parts);
    expect(await objectsOf(run)).toHaveLength(1);
  });

  test('of a run that was lost leaves no object, also where this process granted the claim', async () => {
    const run = await claimed();
    services.claims.remember(run, run.submission_id);
    await maker.query(`update runs set fence = 2 where id = $1`, [run.run_id]);
    await expect(recordBatch(services, run, batch())).rejects.toMatchObject({
      failure: { code: 'conflict' },
    });
    expect([await partsOf(run), await objectsOf(run)]).toEqual([[], []]);
  });

  test('records nothing if its paper does not allow one of the results', async () => {
    const run = await claimed();
    const beyond = { result: { ...result, question_id: randomUUID() } };
    await expect(
      recordBatch(services, run, { ...batch(), questions: [...batch().questions, beyond] }),
    ).rejects.toThrow('its paper does not allow');
    const { rows } = await maker.query('select from question_results where run_id = $1', [run.run_id]);
    expect([rows, await partsOf(run)]).toEqual([[], []]);
  });

  test('does not complete the run while another judgement counts for one of its questions', async () => {
    const key = 'c'.repeat(64);
    const judged = (said: string) => [{ result, judgement: { key, calls: [said], replaces: null } }];
    const [first, second] = [await claimed(), await claimed()];
    await recordBatch(services, first, { ...NOTHING, questions: judged('first') });
    const completion = {
      checked_copy: null,
      review_reasons: [],
      ...usedUp(0),
    };
    const refused = await recordBatch(services, second, {
      ...NOTHING,
      questions: judged('second'),
      completion,
    });
    expect(refused).toMatchObject({
      completed: false,
      standing: [{ question_id: questionId, run_id: first.run_id, evidence: ['first'] }],
    });
    const { rows } = await maker.query('select status from runs where id = $1', [second.run_id]);
    expect(rows).toEqual([{ status: 'claimed' }]);
    expect((await recordBatch(services, second, { ...NOTHING, find: [key, 'd'.repeat(64)] })).found).toEqual([
      { key, run_id: first.run_id, evidence: ['first'] },
    ]);
  });
});

describe('readEvidenceParts', () => {
  test('returns at most MAX_PART_BYTES in one answer', async () => {
    const run = await claimed();
    const text = 'x'.repeat(3 * 1024 * 1024);
    for (const first_page of [1, 5, 9]) {
      await recordPages(run, { first_page, evidence: { first_page, text } });
    }
    const first = await readEvidenceParts(services, { ...run, after: null });
    expect(first.parts.map(({ ref }) => ref)).toEqual(['1', '5']);
    expect(first.next).toEqual({ kind: 'pages', ref: '5' });
    const rest = await readEvidenceParts(services, { ...run, after: first.next });
    expect([rest.parts.map(({ ref }) => ref), rest.next]).toEqual([['9'], null]);
  });

  test('returns each part once, also if earlier parts are removed meanwhile', async () => {
    const run = await claimed();
    await maker.query(
      `insert into evidence_parts (institute_id, run_id, kind, ref, sha256, size_bytes, pack, pack_offset)
       select $1, $2, 'question', lpad(n::text, 2, '0'), repeat('0', 64), 100, gen_random_uuid(), 0 from generate_series(1, 40) as n`,
      [run.institute_id, run.run_id],
    );
    const first = await readEvidenceParts(services, { ...run, after: null });
    expect(first.parts).toHaveLength(20);
    expect(first.parts[0]).toMatchObject({ ref: '01', missing: true });
    await maker.query(`delete from evidence_parts where run_id = $1 and ref < '15'`, [run.run_id]);
    const rest = await readEvidenceParts(services, { ...run, after: first.next });
    expect(rest.parts.map(({ ref }) => Number(ref))).toEqual(Array.from({ length: 20 }, (_, n) => n + 21));
    expect(rest.next).toBeNull();
  });
});

describe('a cached judgement', () => {
  const key = 'a'.repeat(64);
  /** @returns the judgement to use instead; null if the result was recorded */
  const record = async (run: Claimed, said: string, replaces: string | null = null, by = services) => {
    const judgement = { key, calls: [said], replaces };
    const [standing] = (await recordQuestion(by, run, result, { judgement })).standing;
    return standing ?? null;
  };
  const found = async (run: Claimed) => {
    const [judgement] = (await recordBatch(services, run, { ...NOTHING, find: [key] })).found;
    return judgement ?? null;
  };
  const isRecorded = async (run: Claimed): Promise<boolean> => {
    const { rows } = await maker.query('select from question_results where run_id = $1', [run.run_id]);
    return rows.length === 1;
  };

  test('is the first of concurrent records; the others receive it and are not recorded', async () => {
    const runs: Claimed[] = [];
    while (runs.length < 6) runs.push(await claimed());
    const stood = await Promise.all(runs.map((run) => record(run, run.run_id)));
    const first = runs[stood.indexOf(null)];
    const standing = { run_id: first?.run_id, evidence: [first?.run_id] };
    for (const [at, run] of runs.entries()) {
      expect(await found(run)).toMatchObject(standing);
      if (run !== first) expect(stood[at]).toMatchObject(standing);
      expect(await isRecorded(run)).toBe(run === first);
    }
  });

  test('is not returned to its own run, which records it again', async () => {
    const run = await claimed();
    for (const said of ['once', 'once', 'another time']) expect(await record(run, said)).toBeNull();
    expect(await found(run)).toMatchObject({ evidence: ['once'] });
  });

  test('that equals the recorded one is not returned', async () => {
    const [first, second] = [await claimed(), await claimed()];
    expect([await record(first, 'the same'), await record(second, 'the same')]).toEqual([null, null]);
    expect(await isRecorded(second)).toBe(true);
  });

  test('is replaced only by a run that names it in `replaces`', async () => {
    const [first, second, third] = [await claimed(), await claimed(), await claimed()];
    await record(first, 'first');
    expect(await record(second, 'second', third.run_id)).toMatchObject({ evidence: ['first'] });
    expect(await record(second, 'second', first.run_id)).toBeNull();
    expect(await record(third, 'third', first.run_id)).toMatchObject({ evidence: ['second'] });
  });

  test('is not used in another institute', async () => {
    await record(await claimed(), 'ours');
    const theirs = await claimed(randomUUID());
    expect(await found(theirs)).toBeNull();
    expect(await record(theirs, 'theirs')).toBeNull();
    expect(await found(theirs)).toMatchObject({ run_id: theirs.run_id, evidence: ['theirs'] });
  });

  test('is not stored if the settings keep no evidence, and the question is recorded', async () => {
    const run = await claimed();
    expect(await record(run, 'nothing', null, keepingNothing())).toBeNull();
    expect([await found(run), await isRecorded(run)]).toEqual([null, true]);
  });

  test('is not stored for a worker that does not hold its run', async () => {
    const run = await claimed();
    await expect(record({ ...run, fence: 0 }, 'stale')).rejects.toMatchObject({
      failure: { code: 'conflict' },
    });
    expect(await found(run)).toBeNull();
  });
});

describe('removal', () => {
  const round = () => removeEvidence(services, new AbortController().signal);

  /** Inserts a run with a part, an object without a row, and a judgement, all of the given age in days. */
  const left = async (
    days: number,
    deletedDaysAgo: number | null = null,
    instituteId: string = institute,
  ): Promise<Claimed> => {
    const run = await claimed(instituteId);
    const judgement = { key: run.run_id.replaceAll('-', '').repeat(2), calls: [], replaces: null };
    await recordQuestion(services, run, result, { evidence: { said: run.run_id }, judgement });
    await recordQuestion(services, run, result, { evidence: { said: 'a second delivery' } });
    await maker.query(
      `update runs set status = 'completed', evidence_since = now() - make_interval(secs => 86400 * $2::float8),
         evidence_unneeded_since = now() - make_interval(secs => 86400 * $3::float8) where id = $1`,
      [run.run_id, days, deletedDaysAgo],
    );
    return run;
  };
  const isThere = async (run: Claimed) => {
    const { rows } = await maker.query<{ parts: number; judgements: number }>(
      `select (select count(*) from evidence_parts where run_id = $1)::int as parts,
         (select count(*) from judgements where run_id = $1)::int as judgements`,
      [run.run_id],
    );
    return { ...rows[0], objects: (await objectsOf(run)).length };
  };
  const whole = { parts: 1, judgements: 1, objects: 1 };
  const gone = { parts: 0, judgements: 0, objects: 0 };

  test('removes all evidence of a run after the retention time, and none before', async () => {
    const [old, young] = [await left(365.1), await left(364.9)];
    expect([await isThere(old), await isThere(young)]).toEqual([whole, whole]);
    await round();
    expect([await isThere(old), await isThere(young)]).toEqual([gone, whole]);
    await round();
    expect(await isThere(young)).toEqual(whole);
  });

  test('removes the evidence of a deleted submission together with its files', async () => {
    const [over, waiting] = [await left(40, 30.1), await left(40, 29.9)];
    await round();
    expect([await isThere(over), await isThere(waiting)]).toEqual([gone, whole]);
  });

  test('removes evidence of an institute that keeps it for fewer days, and none of its neighbour', async () => {
    const hasty = randomUUID();
    await maker.query(
      `insert into institute_settings (institute_id, evidence_days, files_days, changed_by)
       values ($1, 10, 3, gen_random_uuid())`,
      [hasty],
    );
    const outcomesOf = async (instituteId: string) => {
      const runs = [
        await left(10.1, null, instituteId),
        await left(9.9, null, instituteId),
        await left(9, 3.1, instituteId),
        await left(9, 2.9, instituteId),
      ];
      await round();
      return Promise.all(runs.map(isThere));
    };
    expect(await outcomesOf(hasty)).toEqual([gone, whole, gone, whole]);
    expect(await outcomesOf(institute)).toEqual([whole, whole, whole, whole]);
  });

  test('removes objects without a row', async () => {
    const run = await claimed();
    expect(await putEvidence(services, run, [{ said: 'and then the process died' }])).toMatchObject({
      parts: [{ offset: 1 }],
    });
    await maker.query(
      `update runs set status = 'cancelled', fence = fence + 1, evidence_since = evidence_since - interval '366 days'
       where id = $1`,
      [run.run_id],
    );
    expect(await isThere(run)).toEqual({ parts: 0, judgements: 0, objects: 1 });
    await round();
    expect(await isThere(run)).toEqual(gone);
  });

  test('a finished run gets no part that removal would miss', async () => {
    const run = await claimed();
    await maker.query(`update runs set status = 'completed' where id = $1`, [run.run_id]);
    expect(await putEvidence(services, run, [{ said: 'late' }])).toEqual({ parts: [null], keys: [] });
    expect(await objectsOf(run)).toEqual([]);
  });

  test('removes stored evidence after the setting changed to 0 days', async () => {
    const [old, today] = [await left(2), await left(0)];
    await removeEvidence(keepingNothing(), new AbortController().signal);
    expect([await isThere(old), await isThere(today)]).toEqual([gone, whole]);
  });

  test('reads only runs that are due', async () => {
    await maker.query(
      `insert into runs (id, institute_id, submission_id, lane, attempt, status, price, evidence_since)
       select gen_random_uuid(), $1, gen_random_uuid(), 'typed', 1, 'completed', 1, now() from generate_series(1, 3000)`,
      [institute],
    );
    await maker.query('analyze runs');
    const planOf = async (statement: RawBuilder<unknown>) => {
      const { rows } = await database.acrossInstitutes((tx) =>
        sql<object>`explain (analyze, format json) ${statement}`.execute(tx),
      );
      return readPlan(rows[0]);
    };
    expect(await planOf(expired(365)[0])).toMatchObject({
      indexes: [expect.stringMatching(/^runs_with_evidence/)],
      scanned: [],
      rowsRead: 0,
    });
    expect(await planOf(unneededEvidence(30)[0])).toMatchObject({
      indexes: [expect.stringMatching(/^runs_with_unneeded_evidence/)],
      scanned: [],
      rowsRead: 0,
    });
  });
});

describe('the token usage of a run', () => {
  test('does not change other runs of the institute', async () => {
    const [own, unused, other] = [await claimed(), await claimed(), await claimed()];
    await recordQuestion(services, other, result, { used: usedUp(3, 'other/1') });
    await recordQuestion(services, own, result, { used: usedUp(5, 'a/1') });
    const { rows } = await maker.query('select id, usage from runs where id = any($1)', [
      [own, unused, other].map(({ run_id }) => run_id),
    ]);
    const usageOf = ({ run_id }: Claimed): unknown => rows.find(({ id }) => id === run_id)?.usage;
    expect(usageOf(unused)).toBeNull();
    expect(usageOf(other)).toEqual(usedUp(3).usage);
    expect(usageOf(own)).toEqual(usedUp(5).usage);
  });

  test('is the largest sum if records arrive out of order or twice', async () => {
    const run = await claimed();
    await recordQuestion(services, run, result, { used: usedUp(5, 'a/1', 'b/1') });
    await recordQuestion(services, run, result, { used: usedUp(5, 'a/1', 'b/1') });
    await recordPages(run, { first_page: 1, used: usedUp(3, 'a/1') });
    await recordPages(run, { first_page: 2 });
    const { rows } = await maker.query('select grader, usage from runs where id = $1', [run.run_id]);
    expect(rows).toEqual([usedUp(5, 'a/1', 'b/1')]);
  });
});
