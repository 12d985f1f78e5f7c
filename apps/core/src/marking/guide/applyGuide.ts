import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';
import { failure } from '../../command/failures.ts';
import { noteGuideEvent } from '../../guides/guideEvents.ts';
import { ensureVersions } from '../../guides/versions.ts';
import { lockExam } from '../../command/locks/lockExam.ts';
import type { Services } from '../../command/services.ts';
import {
  findApplication,
  lockApplication,
  readApplication,
  shownApplication,
  startStep,
  type Application,
  type StoredApplication,
} from './applications.ts';
import { workOnPass } from './passes.ts';
import { WORK_MS } from './previewGuide.ts';
import { readGuideSettings } from './settings.ts';
import { NO_RESULTS } from './tally.ts';

/**
 * Applies the previewed versions to the exam's results, and makes them the application in force. The caller may repeat
 * the call while the step is `applying`; core also continues by itself. A repetition after the end changes nothing.
 * @param number of the preview
 * @throws DomainFailure exam_not_found, not_found, conflict (mode, unfinished or stale preview, another pass)
 */
export const applyGuide = (
  services: Services,
  actor: Actor,
  examId: string,
  number: number,
): Promise<Application> =>
  runStep(services, actor, examId, number, async (tx, application) => {
    if (application.step === 'applying' || application.step === 'applied') return;
    await refuseStart(tx, actor, application);
    await startStep(tx, actor, application.id, { step: 'applying', applied: NO_RESULTS });
    await putInForce(tx, actor, application.exam_id, application.id);
    await noteGuideEvent(tx, actor, application.exam_id, {
      event: 'apply',
      before: {},
      after: { number, versions: application.versions },
    });
  });

const refuseStart = async (tx: Tx, actor: Actor, application: StoredApplication): Promise<void> => {
  const { mode } = await readGuideSettings(tx, actor.institute_id, application.exam_id);
  if (mode !== 'apply') throw failure('guide_not_applying');
  if (application.step === 'previewing') throw failure('guide_preview_unfinished');
  await refuseWhileBusy(tx, actor, application);
  if (application.step !== 'previewed' || (await isStale(tx, actor, application))) {
    throw failure('guide_preview_stale');
  }
};

/**
 * Refuses a start while another pass of the exam is running. If an undo reached a result before the undo of a later
 * application, the mark of the later one would stay. A unique index therefore forbids two passes at once.
 */
const refuseWhileBusy = async (tx: Tx, actor: Actor, application: StoredApplication): Promise<void> => {
  const busy = await applicationsOfExam(tx, actor, application.exam_id)
    .where('id', '<>', application.id)
    .where('step', 'in', ['applying', 'undoing'])
    .executeTakeFirst();
  if (busy !== undefined) throw failure('guide_busy');
};

/** Returns true if examples have changed since the preview, or if a later preview was applied. */
const isStale = async (tx: Tx, actor: Actor, application: StoredApplication): Promise<boolean> => {
  const later = await applicationsOfExam(tx, actor, application.exam_id)
    .where('number', '>', application.number)
    .where('step', 'in', ['applied', 'undone'])
    .executeTakeFirst();
  if (later !== undefined) return true;
  const versions = await ensureVersions(tx, actor.institute_id, application.exam_id);
  return (
    versions.size !== Object.keys(application.versions).length ||
    [...versions].some(([questionId, { version }]) => application.versions[questionId] !== version)
  );
};

/**
 * Undoes the application in force as a whole: each result gets its earlier mark, unless a teacher has decided on it
 * since or it is finalized. The previous application is then in force again. The call may be repeated like
 * `applyGuide`.
 * @throws DomainFailure exam_not_found, not_found, conflict (not in force, another pass)
 */
export const undoGuide = (
  services: Services,
  actor: Actor,
  examId: string,
  number: number,
): Promise<Application> =>
  runStep(services, actor, examId, number, async (tx, application) => {
    if (application.step === 'undoing' || application.step === 'undone') return;
    const settings = await readGuideSettings(tx, actor.institute_id, application.exam_id);
    if (settings.application_id !== application.id) throw failure('guide_not_in_force');
    await refuseWhileBusy(tx, actor, application);
    const before = await applicationsOfExam(tx, actor, application.exam_id)
      .where('number', '<', application.number)
      .where('step', '=', 'applied')
      .orderBy('number', 'desc')
      .executeTakeFirst();
    await putInForce(tx, actor, application.exam_id, before?.id ?? null);
    await startStep(tx, actor, application.id, { step: 'undoing', undone: NO_RESULTS });
    await noteGuideEvent(tx, actor, application.exam_id, { event: 'undo', before: { number }, after: {} });
  });

const applicationsOfExam = (tx: Tx, actor: Actor, examId: string) =>
  tx
    .selectFrom('guide_applications')
    .select('id')
    .where('institute_id', '=', actor.institute_id)
    .where('exam_id', '=', examId)
    .limit(1);

const putInForce = (tx: Tx, actor: Actor, examId: string, applicationId: string | null) =>
  tx
    .updateTable('exam_guides')
    .set({ application_id: applicationId })
    .where('institute_id', '=', actor.institute_id)
    .where('exam_id', '=', examId)
    .execute();

/** Starts a step under the exam's lock and works on its pass. */
const runStep = async (
  services: Services,
  actor: Actor,
  examId: string,
  number: number,
  start: (tx: Tx, application: StoredApplication) => Promise<void>,
): Promise<Application> => {
  const { database } = services;
  const id = await database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExam(tx, actor, examId);
    const found = await findApplication(tx, actor.institute_id, exam.id, number);
    await start(tx, await lockApplication(tx, actor.institute_id, found.id));
    return found.id;
  });
  await workOnPass(services, { institute_id: actor.institute_id, id }, { ms: WORK_MS });
  return shownApplication(
    await database.inTenant(actor.institute_id, (tx) => readApplication(tx, actor.institute_id, id)),
  );
};
