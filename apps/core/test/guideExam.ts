import { randomUUID } from 'node:crypto';
import type { StaffActor } from '@evaluation/platform/signed-actor';
import { staffActor } from '@evaluation/platform/signed-actor';
import type pg from 'pg';

/**
 * A fabricated exam with graded submissions: two long answers of 4 marks and one objective question. The teacher's
 * standard for a long answer is a mark for each of four points; the grader is severe and sees half of them.
 */
export interface GuideExam {
  institute: string;
  exam: string;
  /** The long answers. */
  questions: [string, string];
  objective: string;
  submissions: FabricatedSubmission[];
  actor: StaffActor;
}

export interface FabricatedSubmission {
  id: string;
  run: string;
  candidate: string;
  /** What the teacher would give for each long answer. */
  deserved: [number, number];
}

const POINTS = [
  'chlorophyll absorbs sunlight',
  'water splits into oxygen',
  'carbon dioxide enters through stomata',
  'sugar stores the energy',
];
const FILLERS = ['I think that', 'as we learned', 'in the leaf', 'during the day', 'because of this'];

/** Answer number `index`: which of the points it makes follows from the bits of the number. */
const answerOf = (index: number): { text: string; deserved: number; graded: number } => {
  const made = POINTS.filter((_, point) => ((index >> point) & 1) === 1);
  const filler = FILLERS[index % FILLERS.length] ?? '';
  return {
    text: `${filler} ${made.length === 0 ? 'plants are green' : made.join(' and ')} ${index}`,
    deserved: made.length,
    graded: Math.floor(made.length / 2),
  };
};

export const makeGuideExam = async (
  client: pg.Client,
  { candidates, reasons = ['baseline_grader'] }: { candidates: number; reasons?: string[] },
): Promise<GuideExam> => {
  const [institute, exam, objective] = [randomUUID(), randomUUID(), randomUUID()];
  const questions: [string, string] = [randomUUID(), randomUUID()];
  await client.query(
    `insert into exams (id, institute_id, title, mode, status, conducted_on, level, answer_language,
       feedback_language, blind, question_count, live_submissions, live_unfinalized)
     values ($2, $1, 'Exam', 'typed', 'open', '2026-01-01', 'school', 'en', 'en', false, 3, $3, $3)`,
    [institute, exam, candidates],
  );
  await client.query(
    `insert into sections (id, institute_id, exam_id, name, position) values ($2, $1, $2, 'A', 1)`,
    [institute, exam],
  );
  await client.query(
    `insert into questions (id, institute_id, exam_id, section_id, position, label, label_key, type, text, max_marks,
       correct_options)
     select id, $1, $2, $2, at, at, at, type::"QuestionType", 'Why?', 4, '{}'
     from unnest($3::uuid[], array['long_answer', 'long_answer', 'one_word']) with ordinality as q (id, type, at)`,
    [institute, exam, [...questions, objective]],
  );
  const submissions = Array.from({ length: candidates }, (_, index): FabricatedSubmission => {
    const [first, second] = [answerOf(index), answerOf(index + 7)];
    return {
      id: randomUUID(),
      run: randomUUID(),
      candidate: randomUUID(),
      deserved: [first.deserved, second.deserved],
    };
  });
  const rows = submissions.flatMap(({ run }, index) => [
    { run, question: questions[0], ...answerOf(index), source: 'ai', reasons },
    { run, question: questions[1], ...answerOf(index + 7), source: 'ai', reasons },
    { run, question: objective, text: 'leaf', graded: index % 2, source: 'auto', reasons: [] },
  ]);
  await client.query(
    `insert into candidates (id, institute_id, external_id)
     select id, $1, 'c' || at from unnest($2::uuid[]) with ordinality as c (id, at)`,
    [institute, submissions.map(({ candidate }) => candidate)],
  );
  await client.query(
    `insert into submissions (id, institute_id, exam_id, candidate_id, status, lane, review_reasons, needs_review,
       current_run_id, questions_total, quote_unit, quote_credits, quote_rate_source, warnings)
     select id, $1, $2, candidate, 'graded', 'typed', '{}', $6, run, 2, 'answer', 2, 'standard', '[]'
     from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as s (id, candidate, run)`,
    [
      institute,
      exam,
      submissions.map(({ id }) => id),
      submissions.map(({ candidate }) => candidate),
      submissions.map(({ run }) => run),
      reasons.length > 0,
    ],
  );
  await client.query(
    `insert into runs (id, institute_id, submission_id, lane, attempt, status, claimed_at, fence, price, paper)
     select run, $1, id, 'typed', 1, 'completed', now(), 1, 2, $4
     from unnest($2::uuid[], $3::uuid[]) as s (id, run)`,
    [
      institute,
      submissions.map(({ id }) => id),
      submissions.map(({ run }) => run),
      JSON.stringify({ questions: [...questions, objective].map((id) => ({ id, max_marks: 4 })) }),
    ],
  );
  await client.query(
    `insert into question_results (institute_id, run_id, question_id, status, awarded, max, source, confidence,
       needs_review, review_reasons, extracted_answer, criteria, annotations)
     select $1, run, question, 'graded', graded, 4, source::"ResultSource", case when source = 'ai' then 0.5 end,
       jsonb_array_length(reasons) > 0, array(select jsonb_array_elements_text(reasons)), text, '[]', '[]'
     from jsonb_to_recordset($2::jsonb) as r (run uuid, question uuid, graded numeric, source text, text text,
       reasons jsonb)`,
    [institute, JSON.stringify(rows)],
  );
  const actor = staffActor({
    institute_id: institute,
    staff_id: randomUUID(),
    role: 'admin',
    scopes: ['evaluation:read', 'evaluation:review'],
  });
  return { institute, exam, questions, objective, submissions, actor };
};

/** The teacher gives the first `marked` answers of both long questions the marks that they deserve. */
export const markAsDeserved = async (client: pg.Client, guide: GuideExam, marked: number): Promise<void> => {
  const decided = guide.submissions
    .slice(0, marked)
    .flatMap(({ id, deserved }) =>
      guide.questions.map((question, place) => ({ id, question, awarded: deserved[place] ?? 0 })),
    );
  await client.query(
    `insert into reviews (institute_id, submission_id, question_id, awarded, reviewer, key_id, edited_at)
     select $1, id, question, awarded, 'teacher', $2, now()
     from jsonb_to_recordset($3::jsonb) as d (id uuid, question uuid, awarded numeric)`,
    [guide.institute, guide.actor.key_id, JSON.stringify(decided)],
  );
};
