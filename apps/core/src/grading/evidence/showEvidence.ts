import { promisify } from 'node:util';
import { ExamContext, MarkedQuestion } from '@evaluation/rules/grading-model';
import { gunzip } from 'node:zlib';
import { sql } from 'kysely';
import { evidencePackKey } from '@evaluation/object-store';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { CriterionResult, GradingError, type Result } from '@evaluation/rest-contract/schemas';
import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import type { RunKey } from '../../command/runKey.ts';
import { failure } from '../../command/failures.ts';
import { readGuideMarks } from '../../guides/guideMarks.ts';
import type { Services } from '../../command/services.ts';
import { readPaper } from '../../exams/paper/paper.ts';
import { readOverrides } from '../../exams/paper/markedMaterial.ts';
import { withPinnedRubrics } from '../../exams/paper/pinned.ts';
import { MAX_PART_BYTES } from './storeEvidence.ts';

/*
 * Evidence of one run for the admin command that writes it to a file (docs/evidence.md): all but the parts, then the
 * parts in pages. A finished run does not change, so the calls need no common snapshot.
 */

export const WantedEvidence = z.object({
  submission_id: z.uuid(),
  institute_id: z.uuid().optional(),
  /** Attempt of the submission; if absent, the latest. */
  attempt: z.int().gte(1).optional(),
});

/** Most parts in one answer. A large copy has some hundreds, usually of a few thousand bytes each. */
const PARTS_AT_ONCE = 20;
/** Most decompressed bytes in one answer. A single part never exceeds it. */
const BYTES_AT_ONCE = MAX_PART_BYTES;

const decompress = promisify(gunzip);

type ReadResult = (
  tx: Tx,
  instituteId: string,
  submissionId: string,
) => Promise<Pick<Result, 'status' | 'needs_review' | 'review_reasons' | 'totals'>>;

/**
 * Returns paper and results of a run, without personal data of the candidate.
 * @throws DomainFailure not_found (also for a deleted submission), conflict if the run is not finished
 */
export const showEvidence = async (
  services: Services,
  wanted: z.infer<typeof WantedEvidence>,
  readResult: ReadResult,
) => {
  const instituteId = wanted.institute_id ?? (await instituteOf(services, wanted.submission_id));
  return services.database.inTenant(instituteId, async (tx) => {
    const submission = await tx
      .selectFrom('submissions')
      .select(['id', 'exam_id', 'lane', 'pages', 'state', 'approved_at', 'current_run_id', 'attempt_count'])
      .where('institute_id', '=', instituteId)
      .where('id', '=', wanted.submission_id)
      .executeTakeFirst();
    if (submission === undefined || submission.state === 'deleted') throw new DomainFailure('not_found');
    const run = await tx
      .selectFrom('runs')
      .select(['id', 'attempt', 'status', 'rubric_version', 'paper', 'grader'])
      .where('institute_id', '=', instituteId)
      .where('submission_id', '=', submission.id)
      .where('attempt', '=', wanted.attempt ?? submission.attempt_count)
      .executeTakeFirst();
    if (run === undefined) throw failure('no_such_attempt');
    if (run.status !== 'completed' && run.status !== 'failed') {
      throw new DomainFailure('conflict', {
        message: `The run is ${run.status}: it has no marks to replay.`,
      });
    }
    const paper = await paperOf(tx, instituteId, submission.exam_id, run);
    return {
      institute_id: instituteId,
      submission: {
        id: submission.id,
        exam_id: submission.exam_id,
        lane: submission.lane,
        pages: submission.pages,
        approved: submission.approved_at !== null,
      },
      run: {
        id: run.id,
        attempt: run.attempt,
        status: run.status,
        rubric_version: run.rubric_version,
        grader: Grader.parse(run.grader),
      },
      ...paper,
      answers: await tx
        .selectFrom('answers')
        .select(['question_id', 'option_labels', 'text'])
        .where('institute_id', '=', instituteId)
        .where('submission_id', '=', submission.id)
        .orderBy('question_id')
        .execute(),
      overrides: await readOverrides(tx, instituteId, submission.id),
      recorded: {
        questions: await decidedBy(tx, { institute_id: instituteId, run_id: run.id }, paper.questions),
        submission:
          run.id === submission.current_run_id
            ? shownResult(await readResult(tx, instituteId, submission.id))
            : null,
      },
    };
  });
};

/** Finds the institute of a submission by its run: core may read the table `runs` across institutes. */
const instituteOf = async (services: Services, submissionId: string): Promise<string> => {
  const run = await services.database.acrossInstitutes((tx) =>
    tx.selectFrom('runs').select('institute_id').where('submission_id', '=', submissionId).executeTakeFirst(),
  );
  if (run === undefined) throw new DomainFailure('not_found');
  return run.institute_id;
};

const Grader = z.object({ provider: z.string(), model: z.string() }).nullable();

const Pinned = z.object({ exam: ExamContext, questions: z.array(MarkedQuestion) });

/** Returns the pinned paper. A run without AI pins no paper; its paper is read from the exam. */
const paperOf = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  run: { id: string; paper: unknown; rubric_version: number | null },
): Promise<z.infer<typeof Pinned>> => {
  if (run.paper !== null) {
    const pinned = Pinned.parse(run.paper);
    const ofRun = { institute_id: instituteId, run_id: run.id };
    return { ...pinned, questions: await withPinnedRubrics(tx, ofRun, pinned.questions) };
  }
  const exam = await tx
    .selectFrom('exams')
    .select(ExamContext.keyof().options)
    .where('institute_id', '=', instituteId)
    .where('id', '=', examId)
    .executeTakeFirstOrThrow();
  return { exam, questions: await readPaper(tx, instituteId, examId, run.rubric_version) };
};

const decidedBy = async (tx: Tx, run: RunKey, questions: readonly { id: string }[]) => {
  const rows = await tx
    .selectFrom('question_results')
    .select([
      'question_id',
      'status',
      'awarded',
      'max',
      'source',
      'confidence',
      'needs_review',
      'review_reasons',
      'extracted_answer',
      'feedback',
      'criteria',
      'error',
    ])
    .where('institute_id', '=', run.institute_id)
    .where('run_id', '=', run.run_id)
    .execute();
  const guideMarks = await readGuideMarks(tx, run.institute_id, run.run_id);
  const byQuestion = new Map(rows.map((row) => [row.question_id, row]));
  return questions.flatMap(({ id }) => {
    const row = byQuestion.get(id);
    if (row === undefined) return [];
    return [
      {
        ...row,
        awarded: numberOf(row.awarded),
        max: Number(row.max),
        confidence: numberOf(row.confidence),
        ...guideMarks.get(id)?.mark,
        criteria: z.array(CriterionResult).parse(row.criteria),
        error: row.error === null ? null : GradingError.parse(row.error),
      },
    ];
  });
};

const numberOf = (decimal: string | null): number | null => (decimal === null ? null : Number(decimal));

const shownResult = ({ status, needs_review, review_reasons, totals }: Awaited<ReturnType<ReadResult>>) => ({
  status,
  needs_review,
  review_reasons,
  totals,
});

const KindOfPart = z.enum(['pages', 'alignment', 'question', 'rubric']);

export const WantedParts = z.object({
  institute_id: z.uuid(),
  submission_id: z.uuid(),
  run_id: z.uuid(),
  /** Last part of the previous answer; null for the first call. */
  after: z.object({ kind: KindOfPart, ref: z.string().max(100) }).nullable(),
});

/**
 * Reads parts in an order that concurrent removals do not change.
 * @returns `next`: value of `after` for the next call, or null; `missing`: the object is not in the store any more
 */
export const readEvidenceParts = async (
  services: Services,
  { institute_id, submission_id, run_id, after }: z.infer<typeof WantedParts>,
) => {
  const found = await services.database.inTenant(institute_id, (tx) =>
    tx
      .selectFrom('evidence_parts')
      .select(['kind', 'ref', 'sha256', 'size_bytes', 'pack', 'pack_offset'])
      .where('institute_id', '=', institute_id)
      .where('run_id', '=', run_id)
      .$if(after !== null, (query) =>
        query.where(sql<boolean>`(kind, ref) > (${after?.kind}::"EvidenceKind", ${after?.ref}::text)`),
      )
      .orderBy('kind')
      .orderBy('ref')
      .limit(PARTS_AT_ONCE + 1)
      .execute(),
  );
  const rows = found.slice(0, countThatFits(found));
  const parts = [];
  // One after the other: an object may be MAX_PART_BYTES long and hold many parts.
  let object: { key: string; bytes: Buffer | null } = { key: '', bytes: null };
  for (const { pack, pack_offset, size_bytes, ...row } of rows) {
    const key = evidencePackKey(institute_id, submission_id, run_id, pack);
    if (object.key !== key) object = { key, bytes: await readObject(services, key) };
    const bytes = object.bytes?.subarray(pack_offset, pack_offset + size_bytes);
    parts.push(
      bytes === undefined
        ? { ...row, content: null, missing: true }
        : { ...row, content: JSON.parse(bytes.toString()) as unknown, missing: false },
    );
  }
  const last = rows.at(-1);
  const isAll = last === undefined || rows.length === found.length;
  return { parts, next: isAll ? null : { kind: last.kind, ref: last.ref } };
};

/** @returns null if the object is not in the store any more */
const readObject = async (services: Services, key: string): Promise<Buffer | null> => {
  const object = await services.objects.get(key, { maxBytes: MAX_PART_BYTES });
  return object === null ? null : decompress(object, { maxOutputLength: MAX_PART_BYTES + 2 });
};

/** Counts the parts that fit into one answer; at least one. */
const countThatFits = (parts: readonly { size_bytes: number }[]): number => {
  let bytes = 0;
  const beyond = parts.findIndex(({ size_bytes }, index) => {
    bytes += size_bytes;
    return index > 0 && (index >= PARTS_AT_ONCE || bytes > BYTES_AT_ONCE);
  });
  return beyond === -1 ? parts.length : beyond;
};
