import { json, type Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';

export const noteGuideEvent = async (
  tx: Tx,
  actor: Actor,
  examId: string,
  {
    event,
    before,
    after,
  }: {
    event: 'settings' | 'preview' | 'apply' | 'undo' | 'passing_stopped';
    before: Record<string, unknown>;
    after: Record<string, unknown>;
  },
): Promise<void> => {
  await tx
    .insertInto('guide_events')
    .values({
      institute_id: actor.institute_id,
      exam_id: examId,
      event,
      actor_id: actor.key_id,
      staff_role: actor.staff?.role ?? null,
      team: actor.team ?? null,
      before: json(before),
      after: json(after),
    })
    .execute();
};
