import { randomUUID } from 'node:crypto';
import type { QuestionResult } from '@evaluation/rest-contract/schemas';
import { staffActor } from '@evaluation/platform/signed-actor';
import { closedAfterTests } from '@evaluation/test-services';
import type { TestExam } from '../harness/testExam.ts';
import { restSuite } from '../harness/restSuite.ts';
import { openStaff } from '../harness/staff.ts';

/** Calls of examiners to the marking screen. Call at the top of a test file. */
export const markingCalls = async () => {
  const { service } = await restSuite();
  const staff = closedAfterTests(await openStaff(service));
  const SCOPES = ['evaluation:read', 'evaluation:review'];

  /** An examiner of the institute; `key`: an idempotency key that the calls carry. */
  const examiner = (made: TestExam, staffId: string = randomUUID(), key?: string) =>
    staff.access.as({
      actor: staffActor({
        institute_id: made.tenant.instituteId,
        staff_id: staffId,
        role: 'examiner',
        scopes: SCOPES,
      }),
      ...(key === undefined ? {} : { idempotent: { key, fingerprint: 'the same request' } }),
    }).public;
  type Examiner = ReturnType<typeof examiner>;

  /** An admin of the institute: examiners do not change the settings of a guide. */
  const admin = (made: TestExam): Examiner => staff.as(made.tenant.instituteId, SCOPES);

  const seenOf = ({ awarded, review }: QuestionResult) => ({
    awarded,
    edited_at: review.edited_at,
    approved: review.approved,
  });
  const screenOf = (who: Examiner, submission: { id: string }) =>
    who.desk.marking.screen.query({ submission_id: submission.id });
  const questionOf = async (who: Examiner, submission: { id: string }, label: string) => {
    const { questions } = await screenOf(who, submission);
    const found = questions.find(({ question }) => question.label === label);
    if (found === undefined) throw new Error(`no question ${label}`);
    return found;
  };

  interface Marked {
    submission: { id: string };
    questionId: string;
  }
  const give = (who: Examiner, { submission, questionId }: Marked, awarded: number, seen: object) =>
    who.submissions.override.mutate({
      submission_id: submission.id,
      question_id: questionId,
      body: { reviewer: 'R', awarded },
      seen: { awarded: null, edited_at: null, approved: false, ...seen },
    });
  return { service, staff, examiner, admin, seenOf, screenOf, questionOf, give };
};
