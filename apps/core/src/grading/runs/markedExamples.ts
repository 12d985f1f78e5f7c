import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { json, send, type Tx } from '@evaluation/database';
import { fitGuide, nearestExamples } from '@evaluation/guide';
import { inSlices } from '@evaluation/platform/turns';
import * as z from 'zod/v4';
import { decidedResults, isDecidedResult, isTrusted } from '../../guides/decidedResults.ts';
import { ensureVersions } from '../../guides/versions.ts';
import type { RunKey } from '../../command/runKey.ts';

/*
 * Marked answers of other candidates that a model is shown beside an answer, in exams whose guide mode is `suggest` or
 * `apply` (docs/guide.md). The first claim of a run chooses them from the latest version of the question's guide. They
 * are pinned as references with that version, so that a later claim gets the same answers. Texts are read at each claim
 * from the results of the other candidates: after an erasure the example is missing, and no copy of its text is left.
 */

/** Marked answer as a worker receives it. */
export const MarkedExample = z.object({
  question_id: z.uuid(),
  text: z.string(),
  /** SHA-256 (hex) of the text. */
  sha256: z.string(),
  /** The teacher's mark. */
  awarded: z.number(),
  /** Version of the guide that has the example. */
  guide_version: z.int(),
});
export type MarkedExample = z.infer<typeof MarkedExample>;

const Reference = MarkedExample.omit({ text: true }).extend({ run_id: z.uuid() });

/** Examples of a question that are compared: the newest decisions. */
const MOST_COMPARED = 30;
/** Longer answers are not examples, because their tokens are paid for with each call. */
const LONGEST_EXAMPLE = 2000;
/** Examples for one question: the nearest to the answer, then answers with marks that are not shown yet. */
const MOST_SHOWN = 6;
const MOST_NEAREST = 3;

/**
 * @param pooled what `poolOf` has found
 * @param answers typed answers; the answers of a copy are not known yet, so its examples differ in their marks only
 */
export const pinExamples = async (
  tx: Tx,
  job: RunKey,
  pooled: readonly Pooled[],
  answers: readonly { question_id: string; text: string }[],
): Promise<MarkedExample[]> => {
  if (pooled.length === 0) return [];
  const textOf = new Map(answers.map(({ question_id, text }) => [question_id, text]));
  const chosen: Pooled[] = [];
  const pause = inSlices();
  for (const [id, ofQuestion] of Map.groupBy(pooled, ({ question_id }) => question_id)) {
    await pause();
    chosen.push(...chooseShown(ofQuestion, textOf.get(id) ?? null));
  }
  const references = chosen.map((example) => Reference.parse(example));
  await tx
    .updateTable('runs')
    .set({ marked_examples: json(references) })
    .where('institute_id', '=', job.institute_id)
    .where('id', '=', job.run_id)
    .execute();
  return chosen.map((example) => MarkedExample.parse(example));
};

/** Reads the texts of pinned examples. Examples whose text was erased or changed are left out. */
export const readPinnedExamples = async (tx: Tx, job: RunKey, pinned: unknown): Promise<MarkedExample[]> => {
  const references = z.array(Reference).parse(pinned ?? []);
  if (references.length === 0) return [];
  const rows = await tx
    .selectFrom('question_results')
    .select(['run_id', 'question_id', 'extracted_answer'])
    .where('institute_id', '=', job.institute_id)
    .where(sql<boolean>`run_id = any(${references.map(({ run_id }) => run_id)}::uuid[])`)
    .where(sql<boolean>`question_id = any(${references.map(({ question_id }) => question_id)}::uuid[])`)
    .execute();
  const textOf = new Map(rows.map((row) => [`${row.run_id} ${row.question_id}`, row.extracted_answer]));
  return references.flatMap(({ run_id, ...reference }) => {
    const text = textOf.get(`${run_id} ${reference.question_id}`) ?? null;
    return text === null || sha256Of(text) !== reference.sha256 ? [] : [{ ...reference, text }];
  });
};

interface Pooled extends MarkedExample {
  run_id: string;
  guide_version: number;
}

/**
 * Each decision is an example of the latest version of its question's guide; if a version is missing, it is made.
 * @param decisions rows of `selectDecisions`
 */
export const poolOf = async (
  tx: Tx,
  instituteId: string,
  submission: PoolFor,
  decisions: Decision[],
): Promise<Pooled[]> => {
  if (decisions.every(isInVersion)) return decisions;
  await ensureVersions(tx, instituteId, submission.exam_id);
  const [again] = await send(tx, selectDecisions(instituteId, submission));
  // A decision that was committed since the versions were made is left out.
  return again.filter(isInVersion);
};

interface PoolFor {
  exam_id: string;
  candidate_id: string;
}

type Decision = Omit<Pooled, 'guide_version'> & { guide_version: number | null };

const isInVersion = (decision: Decision): decision is Pooled => decision.guide_version !== null;

/** Selects the newest decisions of teachers on each long answer. None in mode `off`, and none of the same candidate. */
export const selectDecisions = (instituteId: string, { exam_id, candidate_id }: PoolFor) => sql<Decision>`
    select q.id as question_id, x.run_id, x.text, x.sha256, x.awarded::float8 as awarded,
      case when latest.examples @> jsonb_build_array(jsonb_build_object(
        'run_id', x.run_id, 'sha256', x.sha256, 'teacher', x.awarded)) then latest.version end as guide_version
    from exam_guides g
    join questions q on q.institute_id = g.institute_id and q.exam_id = g.exam_id and q.type = 'long_answer'
    left join lateral (
      select v.version, v.examples from guide_versions v
      where v.institute_id = ${instituteId} and v.question_id = q.id
      order by v.version desc limit 1
    ) latest on true
    cross join lateral (
      select r.run_id, r.extracted_answer as text, coalesce(d.awarded, r.awarded) as awarded,
        encode(sha256(convert_to(r.extracted_answer, 'UTF8')), 'hex') as sha256
      from ${decidedResults(instituteId, MOST_COMPARED * 2)}
      where ${isDecidedResult} and r.max > 0 and s.candidate_id <> ${candidate_id}
        and btrim(r.extracted_answer) <> '' and char_length(r.extracted_answer) <= ${LONGEST_EXAMPLE}
        and ${isTrusted}
      order by d.decided_at desc, s.id limit ${sql.lit(MOST_COMPARED)}
    ) x
    where g.institute_id = ${instituteId} and g.exam_id = ${exam_id} and g.mode in ('suggest', 'apply')
    order by q.position`;

/** @param pooled examples of one question, the newest first */
const chooseShown = (pooled: readonly Pooled[], answer: string | null): Pooled[] => {
  const chosen = answer === null ? [] : nearestTo(pooled, answer.slice(0, LONGEST_EXAMPLE));
  while (chosen.length < MOST_SHOWN) {
    const next = pooled
      .filter((example) => !chosen.includes(example))
      .map((example) => ({
        example,
        distance: Math.min(...chosen.map(({ awarded }) => Math.abs(awarded - example.awarded)), Infinity),
      }))
      .reduce<{ example: Pooled; distance: number } | null>(
        (best, each) => (best === null || each.distance > best.distance ? each : best),
        null,
      );
    if (next === null) break;
    chosen.push(next.example);
  }
  return chosen;
};

const nearestTo = (pooled: readonly Pooled[], answer: string): Pooled[] => {
  const guide = fitGuide(
    pooled.map(({ run_id, text }) => ({ id: run_id, text, graderShare: 0, teacherShare: 0 })),
    1,
  );
  const exampleOf = new Map(pooled.map((example) => [example.run_id, example]));
  return nearestExamples(guide, answer, MOST_NEAREST).flatMap(({ id }) => exampleOf.get(id) ?? []);
};

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');
