import type { Tx } from '@evaluation/database';
import { inSlices } from '@evaluation/platform/turns';
import { decideMark, isChange, readGuidable, type GuidedResult } from '../../guides/guidable.ts';
import { writeGuidedMarks } from '../../guides/guidedMarks.ts';
import { guidesOf } from '../../guides/inForce.ts';
import { audit } from '../review/audit.ts';
import { marksChanged } from '../review/marksChanged.ts';
import type { StoredApplication } from './applications.ts';
import type { SubmissionInPass } from './lockSubmissionOf.ts';
import { readGuideSettings } from './settings.ts';
import { countMark, countSkipped, type Tally } from './tally.ts';

/** The caller holds the submission's lock. @returns the tally with the results of this submission added */
export const applyToSubmission = async (
  tx: Tx,
  instituteId: string,
  application: StoredApplication,
  submission: SubmissionInPass,
  tally: Tally,
): Promise<Tally> => {
  const results = await readGuidable(tx, instituteId, [submission.id]);
  if (results.length === 0) return tally;
  const { passing_stopped_at } = await readGuideSettings(tx, instituteId, application.exam_id);
  const threshold = passing_stopped_at === null ? application.passing.threshold : null;
  const guides = await guidesOf(tx, instituteId, application.versions);
  const marks: GuidedResult[] = [];
  let counted = tally;
  const pause = inSlices();
  for (const result of results) {
    await pause();
    const decided = decideMark(result, guides.get(result.question_id) ?? null, threshold);
    if (typeof decided === 'string') {
      counted = countSkipped(counted, decided);
    } else {
      counted = countMark(counted, decided);
      if (isChange(decided)) marks.push(decided);
    }
  }
  if (marks.length === 0) return counted;
  await writeGuidedMarks(tx, instituteId, application, marks);
  await marksChanged(tx, instituteId, submission);
  await audit(
    tx,
    application.actor,
    marks.map(({ result, before, after, version }) => ({
      action: 'guide_apply',
      exam_id: application.exam_id,
      submission_id: submission.id,
      question_id: result.question_id,
      reviewer: application.actor.key_id,
      reason: null,
      before: { ...before },
      after: { ...after, guide_version: version, application: application.number },
    })),
  );
  return counted;
};
