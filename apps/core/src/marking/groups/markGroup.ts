import { identicalGroups, type Sameness } from '@evaluation/guide';
import type { Tx } from '@evaluation/database';
import { DomainFailure, type ErrorCode } from '@evaluation/rest-contract/errors';
import { MarkOverride } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../../command/accept.ts';
import { overrideMark } from '../review/overrideMark.ts';
import type { Services } from '../../command/services.ts';
import { findQuestionOfExam } from '../queue/openAnswers.ts';

/*
 * Gives one mark to a group of identical answers: the override of `PATCH /v1/submissions/{id}/questions/{qid}`, once
 * for each candidate, in a transaction of its own with an audit entry of its own.
 *
 * State: none besides the overrides. A repeated call skips the answers that have a teacher's mark, so after a crash the
 * caller sends the same call again.
 */

interface MarkedGroup {
  marked: string[];
  /** Time of the mark of each of them, by which a person at the desk withdraws it. */
  edited_at: (string | null)[];
  /** Submissions that keep their marks, by the reason. */
  skipped: Record<Skip, number>;
}

/**
 * - `teacher_marked`: a teacher has changed or approved the mark, also within the same second.
 * - `other_answer`: the answer differs from the answer of the first submission, such as after another reading.
 * - `not_markable`: the submission is missing, of another exam, being graded, replaced, deleted or erased.
 */
type Skip = 'teacher_marked' | 'finalized' | 'other_answer' | 'not_markable';

/**
 * Errors that concern one submission. All other errors, such as a mark out of range, concern the whole group and end
 * the call.
 */
const SKIPS: Partial<Record<ErrorCode, Skip>> = {
  submission_finalized: 'finalized',
  not_found: 'not_markable',
  exam_not_found: 'not_markable',
  conflict: 'not_markable',
};

/**
 * @param request.submission_ids at most 50; the first one's answer is the answer of the group
 * @throws DomainFailure exam_not_found, not_found (the question), validation_failed
 */
export const markGroup = async (
  services: Services,
  actor: Actor,
  request: {
    exam_id: string;
    question_id: string;
    sameness: Sameness;
    submission_ids: readonly string[];
    body: unknown;
  },
): Promise<MarkedGroup> => {
  const instituteId = actor.institute_id;
  const ids = [...new Set(request.submission_ids.map((id) => id.toLowerCase()))];
  const { question, text } = await services.database.inTenant(instituteId, async (tx) => {
    const found = await findQuestionOfExam(tx, actor, request.exam_id, request.question_id);
    const [first = ''] = ids;
    return { question: found, text: (await readAnswer(tx, instituteId, found, first))?.text ?? null };
  });
  // The whole body is checked before the first mark is set.
  accept(MarkOverride, request.body);
  const answer: MarkedGroup = {
    marked: [],
    edited_at: [],
    skipped: { teacher_marked: 0, finalized: 0, other_answer: 0, not_markable: 0 },
  };
  for (const id of ids) {
    const skip = await skipOf(async () => {
      const { review } = await overrideMark(services, actor, id, question.questionId, request.body, {
        check: async (tx) => {
          const seen = await readAnswer(tx, instituteId, question, id);
          if (seen === null) throw new Skipped('not_markable');
          if (seen.is_marked) throw new Skipped('teacher_marked');
          if (text === null || !areSame(text, seen.text, request.sameness)) throw new Skipped('other_answer');
        },
      });
      answer.marked.push(id);
      answer.edited_at.push(review.edited_at);
    });
    if (skip !== null) answer.skipped[skip] += 1;
  }
  return answer;
};

/** Rolls back the transaction of one submission. */
class Skipped extends Error {
  readonly skip: Skip;

  constructor(skip: Skip) {
    super(`skipped: ${skip}`);
    this.name = 'Skipped';
    this.skip = skip;
  }
}

const skipOf = async (mark: () => Promise<void>): Promise<Skip | null> => {
  try {
    await mark();
    return null;
  } catch (error) {
    if (error instanceof Skipped) return error.skip;
    const skip = error instanceof DomainFailure ? SKIPS[error.failure.code] : undefined;
    if (skip === undefined) throw error;
    return skip;
  }
};

const areSame = (one: string, other: string, sameness: Sameness): boolean =>
  identicalGroups(
    [
      { id: 'one', text: one },
      { id: 'other', text: other },
    ],
    sameness,
  ).length === 1;

/** Reads the answer of a submission of this exam; null if its current run has none. */
const readAnswer = async (
  tx: Tx,
  instituteId: string,
  { examId, questionId }: { examId: string; questionId: string },
  submissionId: string,
): Promise<{ text: string; is_marked: boolean } | null> => {
  const row = await tx
    .selectFrom('submissions as s')
    .innerJoin('question_results as r', (join) =>
      join.onRef('r.institute_id', '=', 's.institute_id').onRef('r.run_id', '=', 's.current_run_id'),
    )
    .leftJoin('reviews as o', (join) =>
      join
        .onRef('o.institute_id', '=', 's.institute_id')
        .onRef('o.submission_id', '=', 's.id')
        .onRef('o.question_id', '=', 'r.question_id')
        .on('o.application', '=', 0),
    )
    .select(['r.extracted_answer', 's.approved_at', 'o.edited_at'])
    .where('s.institute_id', '=', instituteId)
    .where('s.exam_id', '=', examId)
    .where('s.id', '=', submissionId)
    .where('r.question_id', '=', questionId)
    .executeTakeFirst();
  if (row === undefined || row.extracted_answer === null) return null;
  return { text: row.extracted_answer, is_marked: row.approved_at !== null || row.edited_at !== null };
};
