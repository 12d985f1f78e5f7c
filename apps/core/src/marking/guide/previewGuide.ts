import type { Tx } from '@evaluation/database';
import { leaveOneOut, passing as passingOf, scaleOf } from '@evaluation/guide';
import { exact } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { inSlices } from '@evaluation/platform/turns';
import { readGuide } from '../../guides/fittedGuides.ts';
import { decideMark, readGuidable } from '../../guides/guidable.ts';
import { noteGuideEvent } from '../../guides/guideEvents.ts';
import { guidesOf, type Passing } from '../../guides/inForce.ts';
import { ensureVersions } from '../../guides/versions.ts';
import { findExam } from '../../command/locks/findExam.ts';
import { lockExam } from '../../command/locks/lockExam.ts';
import { newId } from '../../command/newId.ts';
import type { Services } from '../../command/services.ts';
import {
  findApplication,
  insertPreview,
  lockApplication,
  readApplication,
  shownApplication,
  storeProgress,
  type Application,
} from './applications.ts';
import { nextSubmissions } from './nextSubmissions.ts';
import { readGuideSettings, refuseOff } from './settings.ts';
import { countMark, countSkipped, NO_RESULTS } from './tally.ts';

/** Time that one call works on a preview or a pass. */
export const WORK_MS = 2000;
/** Submissions of one portion: 200 long answers each of 20,000 characters take 80 MB. */
const PORTION = 20;

/**
 * Starts a preview of what the present guides would change, or continues the preview with this number. The caller
 * repeats the call while the step is `previewing`. No mark changes.
 * @throws DomainFailure exam_not_found, not_found (no preview has the number), conflict (guides are off)
 */
export const previewGuide = async (
  services: Services,
  actor: Actor,
  examId: string,
  number: number | undefined,
): Promise<Application> => {
  const { database } = services;
  const id =
    number === undefined
      ? await startPreview(services, actor, examId)
      : await database.inTenant(actor.institute_id, async (tx) => {
          const exam = await findExam(tx, actor, examId);
          return (await findApplication(tx, actor.institute_id, exam.id, number)).id;
        });
  const until = performance.now() + WORK_MS;
  while (performance.now() < until) {
    if (!(await database.inTenant(actor.institute_id, (tx) => previewPortion(tx, actor.institute_id, id))))
      break;
  }
  return shownApplication(
    await database.inTenant(actor.institute_id, (tx) => readApplication(tx, actor.institute_id, id)),
  );
};

const startPreview = async (services: Services, actor: Actor, examId: string): Promise<string> => {
  const { database } = services;
  const { versions, settings } = await database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const found = await readGuideSettings(tx, actor.institute_id, exam.id);
    refuseOff(found);
    return { versions: await ensureVersions(tx, actor.institute_id, exam.id), settings: found };
  });
  const numbers = Object.fromEntries([...versions].map(([questionId, { version }]) => [questionId, version]));
  const passing = await poolPassing(services, actor.institute_id, numbers, settings.target);
  const id = newId();
  return database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExam(tx, actor, examId);
    const application = { id, exam_id: exam.id, versions: numbers, passing, preview: NO_RESULTS };
    const number = await insertPreview(tx, actor, application);
    await noteGuideEvent(tx, actor, exam.id, {
      event: 'preview',
      before: {},
      after: { number, versions: numbers },
    });
    return id;
  });
};

/** Leave-one-out predictions of all examples of the exam decide which marks pass. One transaction for each question. */
const poolPassing = async (
  services: Services,
  instituteId: string,
  versions: Readonly<Record<string, number>>,
  target: number,
): Promise<Passing> => {
  const pairs: { agreement: number; agreed: boolean }[] = [];
  for (const [questionId, version] of Object.entries(versions)) {
    const guide = await services.database.inTenant(instituteId, (tx) =>
      readGuide(tx, instituteId, questionId, version),
    );
    if (guide === null) continue;
    const scale = scaleOf(guide.fitted.model);
    const teacherOf = new Map(guide.examples.map(({ submission_id, teacher }) => [submission_id, teacher]));
    for (const { id, marks, agreement } of leaveOneOut(guide.fitted, scale)) {
      const difference = exact(teacherOf.get(id) ?? 0).minus(marks);
      pairs.push({ agreement, agreed: difference.abs().lessThanOrEqualTo(scale.tolerance) });
    }
  }
  const { threshold, share, agreement, lowerBound, examples } = passingOf({ pairs, target });
  return { target, threshold, share, agreement, lower_bound: lowerBound, examples };
};

/** Adds the results of the next submissions to the tally. @returns whether more submissions follow */
const previewPortion = async (tx: Tx, instituteId: string, id: string): Promise<boolean> => {
  const application = await lockApplication(tx, instituteId, id);
  if (application.step !== 'previewing') return false;
  const settings = await readGuideSettings(tx, instituteId, application.exam_id);
  const threshold = settings.passing_stopped_at === null ? application.passing.threshold : null;
  const submissions = await nextSubmissions(
    tx,
    instituteId,
    application.exam_id,
    application.after_candidate,
    PORTION,
  );
  const guides = await guidesOf(tx, instituteId, application.versions);
  const results = await readGuidable(
    tx,
    instituteId,
    submissions.map((submission) => submission.id),
  );
  let tally = application.preview;
  const pause = inSlices();
  for (const result of results) {
    await pause();
    const decided = decideMark(result, guides.get(result.question_id) ?? null, threshold);
    tally = typeof decided === 'string' ? countSkipped(tally, decided) : countMark(tally, decided);
  }
  const isLast = submissions.length < PORTION;
  await storeProgress(tx, instituteId, application, {
    tally,
    afterCandidate: submissions.at(-1)?.candidate_id ?? application.after_candidate,
    ...(isLast ? { end: 'previewed' as const } : {}),
  });
  return !isLast;
};
