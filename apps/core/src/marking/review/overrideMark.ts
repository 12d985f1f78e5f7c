import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { MarkOverride, type QuestionResult } from '@evaluation/rest-contract/schemas';
import { isObjective } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { stopPassingBelowTarget } from '../../guides/passingAudit.ts';
import * as z from 'zod/v4';
import { accept, isUuid, refuseField } from '../../command/accept.ts';
import type { Services } from '../../command/services.ts';
import { lockSubmissionFor, visibleSubmissions } from '../../command/locks/lockSubmission.ts';
import { audit, reviewerOf } from '../../command/audit.ts';
import { namedMarks, refuseUnfitCriteria, type MarkDetails } from './markDetails.ts';
import { marksChanged } from './marksChanged.ts';
import { auditedFields, readQuestionResult } from './readQuestionResult.ts';

/**
 * Sets a teacher's mark for one question. It counts instead of the mark by AI or key; totals, flags and checked copy
 * follow. A partially graded submission becomes `graded` when all its failed questions have an override.
 * @param more.details what the desk gives beside the mark
 * @param more.check called under the submission's lock before any change; an error that it throws ends the command
 * @throws DomainFailure not_found, exam_not_found, conflict (not graded, or not live), submission_finalized,
 * validation_failed
 */
export const overrideMark = (
  services: Services,
  actor: Actor,
  submissionId: string,
  questionId: string,
  body: unknown,
  { details = {}, check }: MoreOfOverride = {},
): Promise<QuestionResult> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const question = await findMarkedQuestion(tx, actor, submissionId, questionId);
    const { submission } = await lockSubmissionFor(tx, actor, submissionId, 'override');
    const override = acceptOverride(actor, body, question);
    refuseOutOfRange(override.awarded, question);
    const reviewer = reviewerOf(actor, override.reviewer);
    await check?.(tx, { submissionId: submission.id, questionId: question.id });

    const before = await readQuestionResult(tx, actor, submission.id, question.id);
    const { criteria = null, feedback = null } = details;
    if (criteria !== null) refuseUnfitCriteria(criteria, before.criteria, override.awarded);
    const given = {
      awarded: String(override.awarded),
      reviewer,
      reason: override.reason ?? null,
      criteria: criteria === null ? null : JSON.stringify(namedMarks(criteria, before.criteria)),
      feedback,
      key_id: actor.key_id,
      edited_at: sql<Date>`clock_timestamp()`,
    };
    await tx
      .insertInto('reviews')
      .values({ institute_id: instituteId, submission_id: submission.id, question_id: question.id, ...given })
      .onConflict((conflict) =>
        conflict.columns(['submission_id', 'question_id', 'application']).doUpdateSet(given),
      )
      .execute();
    await marksChanged(tx, instituteId, submission);
    await stopPassingBelowTarget(tx, actor, submission);
    const after = await readQuestionResult(tx, actor, submission.id, question.id);
    await audit(tx, actor, [
      {
        action: 'override',
        exam_id: submission.exam_id,
        submission_id: submission.id,
        question_id: question.id,
        reviewer,
        reason: override.reason ?? null,
        before: auditedFields(before),
        after: auditedFields(after),
      },
    ]);
    return after;
  });

interface MoreOfOverride {
  details?: MarkDetails | undefined;
  check?: (tx: Tx, at: { submissionId: string; questionId: string }) => Promise<void>;
}

interface Question {
  id: string;
  type: Parameters<typeof isObjective>[0];
  mode: 'handwritten' | 'typed';
  max_marks: string;
  negative_marks: string;
}

/** Finds a question of the submission's exam. @throws DomainFailure not_found */
export const findMarkedQuestion = async (
  tx: Tx,
  actor: Actor,
  submissionId: string,
  questionId: string,
): Promise<Question> => {
  const question =
    isUuid(submissionId) && isUuid(questionId)
      ? await visibleSubmissions(tx, actor)
          .innerJoin('questions as q', (join) =>
            join.onRef('q.institute_id', '=', 's.institute_id').onRef('q.exam_id', '=', 's.exam_id'),
          )
          .select(['q.id', 'q.type', 'e.mode', 'q.max_marks', 'q.negative_marks'])
          .where('s.id', '=', submissionId)
          .where('q.id', '=', questionId)
          .executeTakeFirst()
      : undefined;
  if (question === undefined) throw new DomainFailure('not_found');
  return question;
};

/** 0, and for objective questions of typed exams minus their negative marks. */
const lowestMark = ({ mode, type, negative_marks }: Question): number =>
  mode === 'typed' && isObjective(type) && Number(negative_marks) > 0 ? -Number(negative_marks) : 0;

/**
 * Teachers' marks go in steps of 0.5, and negative marks need not: a person at the desk can restore the mark of a wrong
 * answer as it is. The API keeps to the steps.
 */
const acceptOverride = (actor: Actor, body: unknown, question: Question): MarkOverride => {
  const lowest = lowestMark(question);
  const isLowest = z.object({ awarded: z.literal(lowest) }).safeParse(body).success;
  if (actor.staff === undefined || !isLowest) return accept(MarkOverride, body);
  return { ...accept(MarkOverride, { ...Object(body), awarded: 0 }), awarded: lowest };
};

/** Allows the lowest mark to the marks of the question. */
const refuseOutOfRange = (awarded: number, question: Question): void => {
  const lowest = lowestMark(question);
  const highest = Number(question.max_marks);
  if (awarded < lowest || awarded > highest) {
    refuseField('awarded', 'out_of_range', `From ${lowest} to ${highest}.`);
  }
};
