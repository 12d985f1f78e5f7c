import { randomUUID } from 'node:crypto';
import type { DeskClient } from './deskClient.ts';
import type { Scenario } from './scenarios.ts';

interface Screen {
  marks_revision: number;
  questions: {
    result: {
      question_id: string;
      label: string;
      awarded: number | null;
      review: { edited_at: string | null; approved: boolean };
    };
  }[];
}

/** Marks that the model never gives to a question of the paper. */
const EXAMINERS_MARK = 0.5;
const OTHER_MARK = 3.5;

/**
 * An examiner opens a graded submission at the desk, changes one mark with the mark that was on the screen, and
 * approves the submission. A repeated command has one effect, and clients of the API read the examiner's mark.
 */
export const examinerScenario =
  (desk: DeskClient): Scenario =>
  async (steps, { typed }) => {
    const { id: submission_id } = await steps.submit(typed, { candidate: randomUUID() });
    await steps.untilGraded(submission_id);
    const screen = () => desk.call<Screen>('desk.marking.screen', { submission_id });
    const { questions } = await screen();
    const result = questions[1]?.result;
    const marks = steps.book.marks.get(submission_id);
    if (result === undefined || marks === undefined) throw new Error('no question on the screen');
    const { question_id, label, awarded: shown, review } = result;
    const awarded = shown === EXAMINERS_MARK ? OTHER_MARK : EXAMINERS_MARK;
    await desk.call(
      'submissions.override',
      {
        submission_id,
        question_id,
        body: { reviewer: 'examiner', awarded, reason: null },
        seen: { awarded: shown, edited_at: review.edited_at, approved: review.approved },
      },
      randomUUID(),
    );
    marks[label] = awarded;
    const { marks_revision: seen_marks_revision } = await screen();
    await desk.call('submissions.approve', { submission_id, body: {}, seen_marks_revision }, randomUUID());
    const after = await screen();
    if (after.questions[1]?.result.awarded !== awarded || !after.questions[1].result.review.approved)
      throw new Error(`the screen of ${submission_id} does not show the examiner's mark`);
    await steps.expectMarks(submission_id);
  };
