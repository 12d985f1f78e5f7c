import { leaveOneOut, passing as passingOf, scaleOf } from '@evaluation/guide';
import { exact } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { readGuide } from '../../guides/fittedGuides.ts';
import { noteGuideEvent } from '../../guides/guideEvents.ts';
import type { Passing } from '../../guides/inForce.ts';
import { ensureVersions } from '../../guides/versions.ts';
import { findExam } from '../../command/locks/findExam.ts';
import { lockExam } from '../../command/locks/lockExam.ts';
import type { Services } from '../../command/services.ts';
import { insertPreview, readApplication, type Application } from './applications.ts';
import { workAndShow } from './passes.ts';
import { readGuideSettings, refuseOff } from './settings.ts';

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
): Promise<Application> =>
  workAndShow(
    services,
    actor,
    number === undefined
      ? await startPreview(services, actor, examId)
      : await services.database.inTenant(actor.institute_id, async (tx) => {
          const exam = await findExam(tx, actor, examId);
          return readApplication(tx, actor.institute_id, { exam_id: exam.id, number });
        }),
  );

const startPreview = async (services: Services, actor: Actor, examId: string) => {
  const { database } = services;
  const { versions, settings } = await database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const found = await readGuideSettings(tx, actor.institute_id, exam.id);
    refuseOff(found);
    return { versions: await ensureVersions(tx, actor.institute_id, exam.id), settings: found };
  });
  const numbers = Object.fromEntries([...versions].map(([questionId, { version }]) => [questionId, version]));
  const passing = await poolPassing(services, actor.institute_id, numbers, settings.target);
  return database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExam(tx, actor, examId);
    const number = await insertPreview(tx, actor, { exam_id: exam.id, versions: numbers, passing });
    await noteGuideEvent(tx, actor, exam.id, {
      event: 'preview',
      before: {},
      after: { number, versions: numbers },
    });
    return { exam_id: exam.id, number };
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
