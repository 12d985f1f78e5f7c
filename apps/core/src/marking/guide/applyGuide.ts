import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';
import { failure } from '../../command/failures.ts';
import { noteGuideEvent } from '../../guides/guideEvents.ts';
import { ensureVersions } from '../../guides/versions.ts';
import { lockExam } from '../../command/locks/lockExam.ts';
import type { Services } from '../../command/services.ts';
import { lockApplication, startPass, type Application, type StoredApplication } from './applications.ts';
import { workAndShow } from './passes.ts';
import { readGuideSettings } from './settings.ts';

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
  startAndWork(services, actor, examId, number, async (tx, application) => {
    if (application.pass === 'apply') return;
    const { mode } = await readGuideSettings(tx, actor.institute_id, application.exam_id);
    if (mode !== 'apply') throw failure('guide_not_applying');
    if (!application.has_ended && application.pass === 'preview') throw failure('guide_preview_unfinished');
    await refuseWhileBusy(tx, actor, application);
    if (application.pass === 'undo' || (await isStale(tx, actor, application))) {
      throw failure('guide_preview_stale');
    }
    await startPass(tx, actor, application, 'apply');
    await putInForce(tx, actor, application.exam_id, number);
    await noteGuideEvent(tx, actor, application.exam_id, {
      event: 'apply',
      before: {},
      after: { number, versions: application.versions },
    });
  });

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
  startAndWork(services, actor, examId, number, async (tx, application) => {
    if (application.pass === 'undo') return;
    const settings = await readGuideSettings(tx, actor.institute_id, application.exam_id);
    if (settings.in_force !== number) throw failure('guide_not_in_force');
    await refuseWhileBusy(tx, actor, application);
    const before = await otherApplications(tx, actor, application)
      .where('number', '<', number)
      .where('pass', '=', 'apply')
      .orderBy('number', 'desc')
      .executeTakeFirst();
    await putInForce(tx, actor, application.exam_id, before?.number ?? null);
    await startPass(tx, actor, application, 'undo');
    await noteGuideEvent(tx, actor, application.exam_id, { event: 'undo', before: { number }, after: {} });
  });

/**
 * Refuses a start while another pass of the exam changes marks; a unique index forbids it as well. The undo of an
 * application that is still being applied may start.
 */
const refuseWhileBusy = async (tx: Tx, actor: Actor, application: StoredApplication): Promise<void> => {
  const busy = await otherApplications(tx, actor, application)
    .where('pass', '<>', 'preview')
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  if (busy !== undefined) throw failure('guide_busy');
};

/** Returns true if examples have changed since the preview, or if a later preview was applied. */
const isStale = async (tx: Tx, actor: Actor, application: StoredApplication): Promise<boolean> => {
  const later = await otherApplications(tx, actor, application)
    .where('number', '>', application.number)
    .where('pass', '<>', 'preview')
    .executeTakeFirst();
  if (later !== undefined) return true;
  const versions = await ensureVersions(tx, actor.institute_id, application.exam_id);
  return (
    versions.size !== Object.keys(application.versions).length ||
    [...versions].some(([questionId, { version }]) => application.versions[questionId] !== version)
  );
};

const otherApplications = (tx: Tx, actor: Actor, { exam_id, number }: StoredApplication) =>
  tx
    .selectFrom('guide_applications')
    .select('number')
    .where('institute_id', '=', actor.institute_id)
    .where('exam_id', '=', exam_id)
    .where('number', '<>', number)
    .limit(1);

const putInForce = (tx: Tx, actor: Actor, examId: string, number: number | null) =>
  tx
    .updateTable('exam_guides')
    .set({ in_force: number })
    .where('institute_id', '=', actor.institute_id)
    .where('exam_id', '=', examId)
    .execute();

/** Starts a pass under the exam's lock and works on it. */
const startAndWork = async (
  services: Services,
  actor: Actor,
  examId: string,
  number: number,
  start: (tx: Tx, application: StoredApplication) => Promise<void>,
): Promise<Application> => {
  const started = await services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExam(tx, actor, examId);
    const application = await lockApplication(tx, actor.institute_id, { exam_id: exam.id, number });
    await start(tx, application);
    return application;
  });
  return workAndShow(services, actor, started);
};
