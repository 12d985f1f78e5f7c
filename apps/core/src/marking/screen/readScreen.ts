import { sql } from 'kysely';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Result, QuestionResult } from '@evaluation/rest-contract/schemas';
import { isObjective, MARK_STEP, markedByTeacher } from '@evaluation/rules';
import type { MarkedQuestion } from '@evaluation/rules/grading-model';
import type { Ink } from '@evaluation/rules/marked-page';
import type { Tx } from '@evaluation/database';
import type { StaffActor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { readGuideMarks } from '../../guides/guideMarks.ts';
import { readGuideSettings } from '../guide/settings.ts';
import { CurrentPaper, readPaper } from '../../exams/paper/paper.ts';
import { readInk, readOverrides, type OverrideInForce } from '../../exams/paper/markedMaterial.ts';
import { withPinnedRubrics } from '../../exams/paper/pinned.ts';
import type { Services } from '../../command/services.ts';
import { PagePictures } from '../../command/workerCalls/workerInput.ts';
import { resultRows, showResults, type ResultRow } from '../../submissions/results.ts';
import { readCopyBlocks, type AnswerBlock, type StrayInk } from './copyBlocks.ts';
import { isOwnWork } from '../queue/ownShare.ts';
import { findCopy } from './findCopy.ts';
import { staffNames } from './staffNames.ts';

/** Lifetime of the addresses. A page that needs a file later reads the screen again. */
const COPY_URL_SECONDS = 600;

interface ScreenQuestion {
  result: QuestionResult;
  /** The question as the run marked it; as it is now if the run needed no AI. */
  question: MarkedQuestion;
  /** Bounds of a teacher's mark. */
  lowest: number;
  highest: number;
  /** Typed answer as the candidate gave it; null on a copy. */
  given: { option_labels: string[]; text: string | null } | null;
  /** False if the answer is shared out to other people. */
  is_own: boolean;
  /** Places of the answer on the copy. */
  blocks: AnswerBlock[];
  /**
   * What a teacher gave beside the mark; null without a teacher's mark. `criteria`: marks of the criteria of the
   * result, in their order; null if the teacher gave only the sum.
   */
  teacher: { criteria: number[] | null; feedback: string | null } | null;
  /** The mark, and those of the criteria, that would count without the teacher's. */
  before_teacher: { awarded: number | null; criteria: (number | null)[] };
  /** For each criterion of the result, in its order: the words of the answer that its mark rests on. */
  quotations: (string | null)[];
  flag: { note: string | null; by: { id: string; name: string | null }; at: string } | null;
}

interface MarkingScreen {
  submission_id: string;
  exam: {
    id: string;
    title: string;
    mode: 'handwritten' | 'typed';
    blind: boolean;
    guide_mode: 'off' | 'suggest' | 'apply';
    /** Whether work on the exam is shared out. */
    is_shared: boolean;
  };
  /** Null on a blind exam. */
  candidate: Omit<Result['candidate'], 'id'> | null;
  status: Result['status'];
  needs_review: boolean;
  review_reasons: string[];
  finalized: boolean;
  approved: boolean;
  totals: Result['totals'];
  marks_revision: number;
  mark_step: number;
  /** Short-lived addresses; null for typed answers, and after the files were deleted. */
  copy: {
    pages: number;
    expires_in_seconds: number;
    /** The uploaded file. A reader of PDFs may show another page than the one that was graded. */
    original_url: string;
    /**
     * The pages as they were graded: places in the file of the checked copy, in the order of the pages. Null until a
     * checked copy is drawn.
     */
    pictures: { url: string; pages: PagePictures } | null;
    stray: StrayInk[];
    /** What teachers have drawn, in the order of drawing. */
    ink: { id: string; ink: Ink; by: { id: string; name: string | null } }[];
  } | null;
  questions: ScreenQuestion[];
}

/**
 * All that the marking screen shows of one submission, in a fixed number of statements.
 * @throws DomainFailure not_found
 */
export const readScreen = async (
  services: Services,
  actor: StaffActor,
  submissionId: string,
): Promise<MarkingScreen> => {
  const instituteId = actor.institute_id;
  const read = await services.database.inTenant(instituteId, async (tx) => {
    const copy = await findCopy(tx, actor, submissionId);
    return readRows(tx, actor, copy.id);
  });
  const { row, exam, result, flags, sealedKey, drawn } = read;
  const authors = new Set([...flags, ...read.ink].map(({ staff_id }) => staff_id));
  const names = await staffNames(services, instituteId, [...authors]);
  const flagOf = new Map(
    flags.map(({ question_id, note, staff_id, flagged_at }) => [
      question_id,
      { note, by: { id: staff_id, name: names.get(staff_id) ?? null }, at: flagged_at.toISOString() },
    ]),
  );
  const addressOf = (key: string) =>
    services.objects.presignGet(key, { expiresInSeconds: COPY_URL_SECONDS, byClient: true });
  return {
    submission_id: result.submission_id,
    exam: { id: row.exam_id, ...exam },
    candidate: exam.blind
      ? null
      : {
          external_id: row.external_id,
          name: row.name,
          roll_number: row.roll_number,
        },
    status: result.status,
    needs_review: result.needs_review,
    review_reasons: result.review_reasons,
    finalized: result.finalized,
    approved: row.approved_at !== null,
    totals: result.totals,
    marks_revision: read.marksRevision,
    mark_step: MARK_STEP,
    copy:
      sealedKey === null
        ? null
        : {
            pages: read.pages ?? 0,
            expires_in_seconds: COPY_URL_SECONDS,
            original_url: await addressOf(sealedKey),
            pictures:
              drawn.key === null || drawn.pictures.length === 0
                ? null
                : { url: await addressOf(drawn.key), pages: drawn.pictures },
            stray: read.stray,
            ink: read.ink.map(({ staff_id, ...each }) => ({
              ...each,
              by: { id: staff_id, name: names.get(staff_id) ?? null },
            })),
          },
    questions: read.questions.map((question) => ({
      ...question,
      flag: flagOf.get(question.result.question_id) ?? null,
    })),
  };
};

const readRows = async (tx: Tx, actor: StaffActor, submissionId: string) => {
  const { institute_id: instituteId } = actor;
  const { rows } = await resultRows(
    { institute_id: instituteId },
    { where: sql<boolean>`s.id = ${submissionId}` },
  ).execute(tx);
  const [row] = rows;
  const [result] = await showResults(tx, instituteId, rows, new Set(['annotations', 'model_answer']));
  if (row === undefined || result === undefined) throw new DomainFailure('not_found');
  const more = await tx
    .selectFrom('submissions as s')
    .innerJoin('exams as e', (join) =>
      join.onRef('e.institute_id', '=', 's.institute_id').onRef('e.id', '=', 's.exam_id'),
    )
    .innerJoin('runs as r', (join) =>
      join.onRef('r.institute_id', '=', 's.institute_id').onRef('r.id', '=', 's.current_run_id'),
    )
    .leftJoin('uploads as u', (join) =>
      join.onRef('u.institute_id', '=', 's.institute_id').onRef('u.id', '=', 's.upload_id'),
    )
    .select(['s.marks_revision', 's.pages', 'e.title', 'e.mode', 'e.blind', 'e.rubric_version', 'r.paper'])
    // A copy of earlier marks has the same pictures; it is replaced when the present marks are drawn.
    .leftJoin('checked_copies as k', (join) =>
      join.onRef('k.institute_id', '=', 's.institute_id').onRef('k.submission_id', '=', 's.id'),
    )
    .orderBy('k.marks_revision', 'desc')
    .limit(1)
    .select(['u.sealed_key', 'u.files_removed_at', 'k.object_key', 'k.pictures'])
    .select([
      sql<boolean>`exists (select from marking_shares m
        where m.institute_id = s.institute_id and m.exam_id = s.exam_id)`.as('is_shared'),
      sql<string[]>`array(select q.id::text from questions q
        where q.institute_id = s.institute_id and q.exam_id = s.exam_id and not ${isOwnWork(actor, sql`q.id`)})`.as(
        'work_of_others',
      ),
    ])
    .where('s.institute_id', '=', instituteId)
    .where('s.id', '=', submissionId)
    .executeTakeFirstOrThrow();
  const guide = await readGuideSettings(tx, instituteId, row.exam_id);
  const paper = await readMarkedPaper(tx, instituteId, row, more);
  const { blocksOf, stray } = await readCopyBlocks(tx, instituteId, row.current_run_id);
  const answers = await tx
    .selectFrom('answers')
    .select(['question_id', 'option_labels', 'text'])
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', submissionId)
    .execute();
  const given = new Map(answers.map(({ question_id, ...answer }) => [question_id, answer]));
  const before = await readBeforeTeacher(tx, instituteId, row.current_run_id);
  const overrides = await readOverrides(tx, instituteId, submissionId);
  const overrideOf = new Map(overrides.map((override) => [override.question_id, override]));
  const flags = await tx
    .selectFrom('marking_flags')
    .select(['question_id', 'note', 'staff_id', 'flagged_at'])
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', submissionId)
    .execute();
  const numberOf = new Map(paper.map(({ id }, index) => [id, index + 1]));
  const questionOf = new Map(paper.map((question) => [question.id, question]));
  return {
    row,
    result,
    exam: {
      title: more.title,
      mode: more.mode,
      blind: more.blind,
      guide_mode: guide.mode,
      is_shared: more.is_shared,
    },
    marksRevision: more.marks_revision,
    pages: more.pages,
    sealedKey: more.files_removed_at === null ? more.sealed_key : null,
    stray,
    drawn: { key: more.object_key, pictures: PagePictures.safeParse(more.pictures).data ?? [] },
    flags,
    ink: more.sealed_key === null ? [] : await readInk(tx, instituteId, submissionId),
    questions: result.questions.flatMap((each) => {
      const question = questionOf.get(each.question_id);
      if (question === undefined) return [];
      const { quotations = [], ...unmarked } = before.get(each.question_id) ?? {};
      const isNegative = more.mode === 'typed' && isObjective(question.type);
      return [
        {
          result: each,
          question,
          lowest: isNegative && question.negative_marks > 0 ? -question.negative_marks : 0,
          highest: each.max,
          given: given.get(each.question_id) ?? null,
          is_own: !more.work_of_others.includes(each.question_id),
          before_teacher: { awarded: null, criteria: [], ...unmarked },
          teacher: givenByTeacher(each, overrideOf.get(each.question_id)),
          blocks: blocksOf(numberOf.get(each.question_id) ?? 0),
          quotations,
        },
      ];
    }),
  };
};

const givenByTeacher = (
  result: QuestionResult,
  override: OverrideInForce | undefined,
): ScreenQuestion['teacher'] => {
  if (override === undefined) return null;
  const marked = markedByTeacher(result.criteria, override.criteria);
  return {
    criteria: marked?.map(({ awarded }) => awarded ?? 0) ?? null,
    feedback: override.feedback,
  };
};

/**
 * The paper that the run is pinned to, with the rubrics that were generated for it. Without one, the paper in force.
 */
const readMarkedPaper = async (
  tx: Tx,
  instituteId: string,
  row: ResultRow,
  { paper, rubric_version }: { paper: unknown; rubric_version: number },
): Promise<MarkedQuestion[]> => {
  const pinned = CurrentPaper.pick({ questions: true }).safeParse(paper);
  if (!pinned.success) return readPaper(tx, instituteId, row.exam_id, rubric_version);
  const run = { institute_id: instituteId, run_id: row.current_run_id };
  return withPinnedRubrics(tx, run, pinned.data.questions);
};

const MarkedCriteria = z.array(z.object({ awarded: z.number().nullish(), evidence: z.string().nullish() }));

interface BeforeTeacher {
  awarded: number | null;
  /** Marks of the criteria, and the words that they rest on. */
  criteria: (number | null)[];
  quotations: (string | null)[];
}

/** What counts without marks of teachers: the marks of the run, or of guides. */
const readBeforeTeacher = async (
  tx: Tx,
  instituteId: string,
  runId: string,
): Promise<Map<string, BeforeTeacher>> => {
  const rows = await tx
    .selectFrom('question_results')
    .select(['question_id', 'awarded', 'criteria'])
    .where('institute_id', '=', instituteId)
    .where('run_id', '=', runId)
    .execute();
  const guideMarks = await readGuideMarks(tx, instituteId, runId);
  return new Map(
    rows.map(({ question_id, awarded, criteria }) => {
      const marked = MarkedCriteria.safeParse(criteria).data ?? [];
      const own = awarded === null ? null : Number(awarded);
      return [
        question_id,
        {
          awarded: guideMarks.get(question_id)?.mark.awarded ?? own,
          criteria: marked.map((criterion) => criterion.awarded ?? null),
          quotations: marked.map(({ evidence }) => evidence ?? null),
        },
      ];
    }),
  );
};
