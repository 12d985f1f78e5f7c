import { sql } from 'kysely';
import { CriterionResult, type SubmissionStatus } from '@evaluation/rest-contract/schemas';
import { addUp, CriteriaOfTeacher, markedByTeacher } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { joinReview } from '../guides/guideMarks.ts';
import { placeInList, shownCandidate } from '../exams/candidates/shownCandidate.ts';
import { findExam } from '../command/locks/findExam.ts';
import type { Services } from '../command/services.ts';

export const MarksQuery = z.object({
  /** `next_cursor` of the previous page. */
  cursor: z.uuid().optional(),
  limit: z.int().gte(1).lte(500).default(200),
  /** Also the criteria and the feedback of each answer. */
  details: z.boolean().default(false),
});
export type MarksQuery = z.infer<typeof MarksQuery>;

interface CandidateMarks {
  submission_id: string;
  candidate: {
    id: string;
    external_id: string;
    name: string | null;
    roll_number: string | null;
    section_or_class: string | null;
  };
  status: SubmissionStatus;
  needs_review: boolean;
  finalized: boolean;
  has_checked_copy: boolean;
  /** Sums over the questions that count, as `totals` of a result; null unless graded or partially graded. */
  awarded: number | null;
  max: number | null;
  /** Marks by question, in the order of `questions`; null without a mark that may be shown. */
  marks: (number | null)[];
  /** Comments of teachers, in the order of `questions`; null without one. */
  comments: (string | null)[];
  /** In the order of `questions`; empty unless `details` are asked for. */
  details: AnswerDetails[];
}

interface AnswerDetails {
  /** Null without criteria whose marks are those that count. */
  criteria: { name: string; awarded: number | null; max: number | null }[] | null;
  /** Of the teacher, else of the AI. */
  feedback: string | null;
}

interface ExamMarks {
  title: string;
  questions: { question_id: string; label: string; max: number }[];
  data: CandidateMarks[];
  next_cursor: string | null;
}

/** Results that one page may read, so that a page of a long paper stays small. Details are most of a result. */
const MOST_RESULTS = { plain: 20_000, detailed: 2000 };

/**
 * Lists the marks of the live submissions of an exam in the order of candidates: for tables of results.
 * @throws DomainFailure exam_not_found
 */
export const readMarksOfExam = (
  services: Services,
  actor: Actor,
  examId: string,
  { cursor, limit, details }: MarksQuery,
): Promise<ExamMarks> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const exam = await findExam(tx, actor, examId);
    const most = details ? MOST_RESULTS.detailed : MOST_RESULTS.plain;
    const size = Math.max(1, Math.min(limit, Math.floor(most / Math.max(exam.question_count, 1))));
    const paper = await sql<ExamMarks['questions'][number] & { title: string }>`
      select q.id as question_id, q.label, q.max_marks::float8 as max, e.title
      from exams e left join questions q on q.institute_id = e.institute_id and q.exam_id = e.id
      where e.institute_id = ${instituteId} and e.id = ${exam.id}
      order by q.position`.execute(tx);
    const place = placeInList(actor, exam, 's');
    const { rows } = await sql<Row>`
      select s.id, c.id as candidate_id, c.external_id, c.name, c.roll_number, c.section_or_class, s.status,
        s.needs_review, s.finalized_at is not null as finalized,
        exists (select from checked_copies k where k.institute_id = s.institute_id and k.submission_id = s.id
          and k.marks_revision = s.marks_revision) as has_checked_copy,
        (select coalesce(json_object_agg(r.question_id, json_build_object('awarded',
            coalesce(v.awarded, r.awarded)::float8, 'max', r.max::float8, 'counted', r.counted,
            'comment', case when v.application = 0 then v.reason end
            ${
              details
                ? sql`, 'criteria', r.criteria, 'is_reviewed', v.application is not distinct from 0,
            'given', v.criteria, 'feedback', coalesce(v.feedback, r.feedback)`
                : sql``
            })), '{}')
          from question_results r
          ${joinReview}
          where r.institute_id = s.institute_id and r.run_id = s.current_run_id
            and s.status in ('graded', 'partially_graded')) as marks
      from (
        select s.* from submissions s
        where s.institute_id = ${instituteId} and s.exam_id = ${exam.id} and s.state = 'live'
          and ${cursor === undefined ? sql`true` : sql`${place} > (select ${placeInList(actor, exam, 'g')} from submissions g where g.institute_id = ${instituteId} and g.id = ${cursor})`}
        order by ${place} limit ${size + 1}) s
      join lateral ${shownCandidate(actor, 's')} c on true
      order by ${place}`.execute(tx);
    const questions = paper.rows.flatMap(({ title: _title, ...question }) =>
      question.question_id === null ? [] : [question],
    );
    const data = rows.slice(0, size);
    return {
      title: paper.rows[0]?.title ?? '',
      questions,
      data: data.map((row) => shown(row, questions, details)),
      next_cursor: rows.length > size ? (data.at(-1)?.id ?? null) : null,
    };
  });

interface Row {
  id: string;
  candidate_id: string;
  external_id: string;
  name: string | null;
  roll_number: string | null;
  section_or_class: string | null;
  status: SubmissionStatus;
  needs_review: boolean;
  finalized: boolean;
  has_checked_copy: boolean;
  marks: Record<string, Mark>;
}

interface Mark {
  awarded: number | null;
  max: number;
  counted: boolean;
  comment: string | null;
  /** These are read with `details` only. */
  criteria?: unknown;
  is_reviewed?: boolean;
  given?: unknown;
  feedback?: string | null;
}

const shown = (
  { id, candidate_id, external_id, name, roll_number, section_or_class, marks, ...row }: Row,
  questions: ExamMarks['questions'],
  details: boolean,
): CandidateMarks => {
  const isMarked = row.status === 'graded' || row.status === 'partially_graded';
  const counted = Object.values(marks).filter((mark) => mark.counted);
  return {
    submission_id: id,
    candidate: { id: candidate_id, external_id, name, roll_number, section_or_class },
    ...row,
    awarded: isMarked ? addUp(counted.map(({ awarded }) => awarded ?? 0)) : null,
    max: isMarked ? addUp(counted.map(({ max }) => max)) : null,
    marks: questions.map(({ question_id }) => marks[question_id]?.awarded ?? null),
    comments: questions.map(({ question_id }) => marks[question_id]?.comment ?? null),
    details: details ? questions.map(({ question_id }) => detailsOf(marks[question_id])) : [],
  };
};

const Criteria = z.array(CriterionResult.pick({ name: true, awarded: true, max: true }));

/** A teacher who gave a sum alone has given no marks to the criteria; those of the AI would not add up to it. */
const detailsOf = (mark: Mark | undefined): AnswerDetails => {
  const criteria = Criteria.parse(mark?.criteria ?? []);
  const given = CriteriaOfTeacher.nullable().parse(mark?.given ?? null);
  const marked = mark?.is_reviewed === true ? markedByTeacher(criteria, given) : criteria;
  return { criteria: marked?.length === 0 ? null : marked, feedback: mark?.feedback ?? null };
};
