import { sql } from 'kysely';
import { MARK_STEP } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { joinReview } from '../../guides/guideMarks.ts';
import { findExam } from '../../command/locks/findExam.ts';
import type { Services } from '../../command/services.ts';
import { binsOf, figuresOf, type Bin, type Figures } from './distributions.ts';

interface MarksDistribution {
  exam_id: string;
  /** Graded submissions that were counted, in the order of candidates, and all live submissions of the exam. */
  counted: number;
  live: number;
  /** False if the exam has more graded submissions than are counted. */
  is_complete: boolean;
  /** Totals in percent, in twenty bins. */
  totals: Figures & { bins: Bin[] };
  /** In paper order; marks of the question. */
  questions: (Figures & {
    question_id: string;
    label: string;
    max: number;
    /** Mean mark as a share of the maximum: 1 if all have full marks. Null without marks. */
    facility: number | null;
    /**
     * Pearson correlation of the question's marks with the marks of all other questions of the copy. Null if one of
     * them is the same in all copies.
     */
    discrimination: number | null;
    bins: Bin[];
  })[];
}

/** Most results that are read. */
const MOST_RESULTS = 200_000;
const MOST_SUBMISSIONS = 20_000;
const MOST_BINS = 20;

/**
 * Reads how the marks that count are distributed: over whole submissions that are graded, and over each question.
 * @throws DomainFailure exam_not_found
 */
export const readMarksDistribution = (
  services: Services,
  actor: Actor,
  examId: string,
): Promise<MarksDistribution> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const most = Math.min(MOST_SUBMISSIONS, Math.floor(MOST_RESULTS / Math.max(exam.question_count, 1)));
    const { rows } = await sql<Row>`
      with chosen as materialized (
        select s.id, s.current_run_id from submissions s
        where s.institute_id = ${actor.institute_id} and s.exam_id = ${exam.id} and s.state = 'live'
          and s.status = 'graded'
        order by s.candidate_id limit ${most + 1}),
      marks as materialized (
        select s.id, r.question_id, coalesce(v.awarded, r.awarded, 0) as awarded, r.max,
          sum(coalesce(v.awarded, r.awarded, 0)) over (partition by s.id) as total
        from (select * from chosen limit ${most}) s
        join question_results r on r.institute_id = ${actor.institute_id} and r.run_id = s.current_run_id and r.counted
        ${joinReview}),
      totals as (
        select round(100 * sum(awarded) / sum(max), 2)::float8 as value from marks group by id having sum(max) > 0)
      select (select count(*)::int from chosen) as counted,
        (select coalesce(json_agg(t), '[]')
          from (select value, count(*)::int as count from totals group by value) t) as totals,
        (select coalesce(json_agg(json_build_object('question_id', q.id, 'label', q.label, 'max', q.max_marks::float8,
            'discrimination', (select corr(awarded::float8, (total - awarded)::float8) from marks where question_id = q.id),
            'marks', (select coalesce(json_agg(m), '[]') from (
              select awarded::float8 as value, count(*)::int as count from marks
              where question_id = q.id group by awarded) m)) order by q.position), '[]')
          from questions q where q.institute_id = ${actor.institute_id} and q.exam_id = ${exam.id}) as questions`.execute(
      tx,
    );
    const [row] = rows;
    if (row === undefined) throw new Error('a select of counts returned no row');
    return {
      exam_id: exam.id,
      counted: Math.min(row.counted, most),
      live: exam.live_submissions,
      is_complete: row.counted <= most,
      totals: {
        ...figuresOf(row.totals),
        bins: binsOf(row.totals, { from: 0, to: 100, width: 100 / MOST_BINS }),
      },
      questions: row.questions.map(({ marks, ...question }) => ({
        ...question,
        ...withFacility(figuresOf(marks), question.max),
        bins: binsOf(marks, {
          from: Math.min(0, ...marks.map(({ value }) => value)),
          to: question.max,
          width: widthOf(question.max),
        }),
      })),
    };
  });

const withFacility = (figures: Figures, max: number) => ({
  ...figures,
  facility: figures.mean === null || max === 0 ? null : figures.mean / max,
});

/** The smallest number of whole mark steps that makes at most MOST_BINS bins. */
const widthOf = (max: number): number => Math.max(1, Math.ceil(max / MOST_BINS / MARK_STEP)) * MARK_STEP;

interface Counted {
  value: number;
  count: number;
}

interface Row {
  counted: number;
  totals: Counted[];
  questions: {
    question_id: string;
    label: string;
    max: number;
    discrimination: number | null;
    marks: Counted[];
  }[];
}
