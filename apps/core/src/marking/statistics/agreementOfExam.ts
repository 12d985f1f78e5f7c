import { sql } from 'kysely';
import { isExact, isWithin, kappaOf, momentsOf, stepOf } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { decidedResults, isDecidedResult } from '../../guides/decidedResults.ts';
import { findExam } from '../../command/locks/findExam.ts';
import type { Services } from '../../command/services.ts';

/** Agreement of the AI's marks with the examiners' marks. */
interface Agreement {
  /** Number of compared answers. */
  n: number;
  /** Compared answers whose mark a teacher gave. The other marks were confirmed by approving the submission. */
  overridden: number;
  /** Share of equal marks (`isExact`). All shares and means are null if no answer was compared. */
  exact: number | null;
  /** Share of marks at most one step apart (`stepOf`). */
  within_step: number | null;
  /** Quadratic weighted kappa. Also null if AI and examiners gave the same mark to every answer. */
  qwk: number | null;
  /** Mean of AI − examiner, in marks of the question; in `overall`, as a share of the max marks. */
  mean_difference: number | null;
}

interface QuestionAgreement extends Agreement {
  question_id: string;
  label: string;
  max: number;
  /** Number of answers by the two marks. */
  cells: { ai: number; examiner: number; answers: number }[];
}

interface ExamAgreement {
  exam_id: string;
  /** Most decisions of a question that are compared, the newest first. */
  most_of_a_question: number;
  /** All questions together; marks are compared as shares of the max marks. */
  overall: Agreement;
  /** Questions with at least one compared answer, in paper order. */
  questions: QuestionAgreement[];
}

/** Most decisions of an exam that are read; each costs a look-up of a result. */
const MOST_DECISIONS = 20_000;
const MOST_OF_A_QUESTION = 2000;

/**
 * Compares the AI's marks, before any guide, with what teachers gave or confirmed. Bounded to the newest decisions.
 * @throws DomainFailure exam_not_found
 */
export const readAgreement = (services: Services, actor: Actor, examId: string): Promise<ExamAgreement> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const exam = await findExam(tx, actor, examId);
    const most = Math.min(MOST_OF_A_QUESTION, Math.floor(MOST_DECISIONS / Math.max(exam.question_count, 1)));
    const { rows } = await sql<CellRow>`
      select q.id as question_id, q.label, q.max_marks::float8 as max, x.ai::float8 as ai,
        x.examiner::float8 as examiner, count(*)::int as answers, (count(*) filter (where x.is_override))::int as overridden
      from questions q
      cross join lateral (
        select r.awarded as ai, coalesce(d.awarded, r.awarded) as examiner,
          d.is_override
        from ${decidedResults(instituteId, most)}
        where ${isDecidedResult} and r.max > 0
        order by d.decided_at desc, s.id limit ${most}
      ) x
      where q.institute_id = ${instituteId} and q.exam_id = ${exam.id}
      group by q.id, q.position, q.label, q.max_marks, x.ai, x.examiner
      order by q.position, x.ai, x.examiner`.execute(tx);
    const questions = [...Map.groupBy(rows, ({ question_id }) => question_id).values()].flatMap((cells) => {
      const [first] = cells;
      if (first === undefined) return [];
      const { question_id, label, max } = first;
      return {
        question_id,
        label,
        max,
        ...agreementOf(cells, 'marks'),
        cells: cells.map(({ ai, examiner, answers }) => ({ ai, examiner, answers })),
      };
    });
    return { exam_id: exam.id, most_of_a_question: most, overall: agreementOf(rows, 'shares'), questions };
  });

interface Cell {
  max: number;
  ai: number;
  examiner: number;
  answers: number;
  overridden: number;
}

interface CellRow extends Cell {
  question_id: string;
  label: string;
}

/** @param unit `shares` divides marks by the max marks, so that several questions can be compared together */
const agreementOf = (cells: readonly Cell[], unit: 'marks' | 'shares'): Agreement => {
  const n = cells.reduce((sum, { answers }) => sum + answers, 0);
  const scaled = (mark: number, max: number): number => (unit === 'marks' ? mark : mark / max);
  const examiner = new Float64Array(n);
  const ai = new Float64Array(n);
  let at = 0;
  for (const cell of cells) {
    examiner.fill(scaled(cell.examiner, cell.max), at, at + cell.answers);
    ai.fill(scaled(cell.ai, cell.max), at, at + cell.answers);
    at += cell.answers;
  }
  const share = (agrees: (cell: Cell) => boolean): number | null =>
    n === 0 ? null : cells.reduce((sum, cell) => sum + (agrees(cell) ? cell.answers : 0), 0) / n;
  const moments = momentsOf(examiner, ai);
  return {
    n,
    overridden: cells.reduce((sum, { overridden }) => sum + overridden, 0),
    exact: share((cell) => isExact(cell.ai, cell.examiner, cell.max)),
    within_step: share((cell) => isWithin(cell.ai, cell.examiner, stepOf(cell.max))),
    qwk: kappaOf(moments),
    mean_difference: n === 0 ? null : moments.meanB - moments.meanA,
  };
};
