import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { audit, changesBetween } from '../../command/audit.ts';
import { failure } from '../../command/failures.ts';
import { noteGuideEvent } from '../../guides/guideEvents.ts';
import { DEFAULT_TARGET, GuideTarget } from '../../guides/target.ts';
import { lockExam } from '../../command/locks/lockExam.ts';
import type { Services } from '../../command/services.ts';

export const GuideChange = z.object({
  mode: z.enum(['off', 'suggest', 'apply']).optional(),
  target: GuideTarget.optional(),
  /** Lets marks pass without review again, after the audit has stopped the passing. */
  resume_passing: z.literal(true).optional(),
});
export type GuideChange = z.infer<typeof GuideChange>;

interface GuideSettings {
  mode: 'off' | 'suggest' | 'apply';
  target: number;
  /** Number of the application in force. */
  in_force: number | null;
  passing_stopped_at: string | null;
}

export const readGuideSettings = async (
  tx: Tx,
  instituteId: string,
  examId: string,
): Promise<GuideSettings> => {
  const row = await tx
    .selectFrom('exam_guides')
    .select(['mode', 'target', 'in_force', 'passing_stopped_at'])
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .executeTakeFirst();
  if (row === undefined) {
    return { mode: 'off', target: DEFAULT_TARGET, in_force: null, passing_stopped_at: null };
  }
  return {
    ...row,
    target: Number(row.target),
    passing_stopped_at: row.passing_stopped_at?.toISOString() ?? null,
  };
};

/** @throws DomainFailure conflict if guides are off */
export const refuseOff = ({ mode }: GuideSettings): void => {
  if (mode === 'off') throw failure('guide_off');
};

type Shown = Omit<GuideSettings, 'in_force'>;

/**
 * Changes mode and target. Neither changes a mark: marks that are already applied stay until an undo, and mode `apply`
 * affects later runs only after an application.
 * @throws DomainFailure exam_not_found
 */
export const setGuide = (
  services: Services,
  actor: Actor,
  examId: string,
  { mode, target, resume_passing }: GuideChange,
): Promise<Shown> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExam(tx, actor, examId);
    const { in_force: _, ...before } = await readGuideSettings(tx, actor.institute_id, exam.id);
    const change = {
      ...(mode === undefined ? {} : { mode }),
      ...(target === undefined ? {} : { target: String(target) }),
      ...(resume_passing === undefined ? {} : { passing_stopped_at: null }),
    };
    await tx
      .insertInto('exam_guides')
      .values({ exam_id: exam.id, institute_id: actor.institute_id, ...change })
      .onConflict((conflict) =>
        conflict.column('exam_id').doUpdateSet({ ...change, updated_at: sql<Date>`clock_timestamp()` }),
      )
      .execute();
    const { in_force: __, ...after } = await readGuideSettings(tx, actor.institute_id, exam.id);
    await noteGuideEvent(tx, actor, exam.id, {
      event: 'settings',
      before: { ...before },
      after: { ...after },
    });
    const changes = changesBetween(named(before), named(after));
    if (Object.keys(changes.after).length > 0)
      await audit(tx, actor, [{ action: 'exam_edit', exam_id: exam.id, ...changes }]);
    return after;
  });

const named = ({ mode, target, passing_stopped_at: stopped }: Shown) => ({
  guide_mode: mode,
  guide_target: target,
  guide_passing_stopped_at: stopped,
});
