import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';
import { sql } from 'kysely';
import * as z from 'zod/v4';
import { audit, changesBetween } from '../../command/audit.ts';
import { failure } from '../../command/failures.ts';
import { DEFAULT_TARGET, GuideTarget } from '../../guides/target.ts';
import type { Services } from '../../command/services.ts';
import { refuseMoreDays, RetentionDays, shownRetention, type ShownRetention } from './instituteRetention.ts';

/** Defaults for exams that staff create at the desk. Exams created through the API get the defaults of the API. */
interface ExamDefaults {
  blind: boolean;
  guide_target: number;
}

interface InstituteSettings extends ExamDefaults, ShownRetention {
  /** Examiners see only the exams that are assigned to them (`exams/examiners.ts`). */
  assigned_only: boolean;
  /** 0 until the settings are changed for the first time. */
  revision: number;
  changed: { at: string; by: string | null } | null;
}

/** Revision of the settings that the page has shown. */
const Seen = z.int().gte(0);

export const SettingsChange = z.object({
  blind: z.boolean(),
  guide_target: GuideTarget,
  /** Absent: as it is. */
  assigned_only: z.boolean().optional(),
  seen: Seen,
});
export type SettingsChange = z.infer<typeof SettingsChange>;

export const RetentionChange = z.object({ ...RetentionDays.shape, seen: Seen });
export type RetentionChange = z.infer<typeof RetentionChange>;

const readRow = (tx: Tx, instituteId: string) =>
  tx.selectFrom('institute_settings').selectAll().where('institute_id', '=', instituteId).executeTakeFirst();

type SettingsRow = Awaited<ReturnType<typeof readRow>>;

const examDefaultsIn = (row: SettingsRow): ExamDefaults => ({
  blind: row?.blind ?? false,
  guide_target: row === undefined ? DEFAULT_TARGET : Number(row.guide_target),
});

export const readExamDefaults = async (tx: Tx, instituteId: string): Promise<ExamDefaults> =>
  examDefaultsIn(await readRow(tx, instituteId));

type Needed = Pick<Services, 'database' | 'settings'>;

export const showInstituteSettings = async (
  { database, settings }: Needed,
  instituteId: string,
): Promise<InstituteSettings> => {
  const row = await database.inTenant(instituteId, (tx) => readRow(tx, instituteId));
  const person =
    row === undefined
      ? null
      : await database.control.staff.findUnique({
          where: { id: row.changed_by, institute_id: instituteId },
          select: { name: true },
        });
  return {
    ...examDefaultsIn(row),
    assigned_only: row?.assigned_only ?? false,
    revision: row?.revision ?? 0,
    changed: row === undefined ? null : { at: row.changed_at.toISOString(), by: person?.name ?? null },
    ...shownRetention(settings, row),
  };
};

/**
 * Replaces the defaults of new exams, and who sees exams.
 * @throws DomainFailure conflict if the settings have changed since `seen`
 */
export const changeInstituteSettings = async (
  services: Needed,
  actor: Actor,
  { blind, guide_target, assigned_only: assignedOnly, seen }: SettingsChange,
): Promise<InstituteSettings> =>
  changeRow(services, actor, 'settings_edit', seen, {
    blind,
    guide_target: String(guide_target),
    ...(assignedOnly === undefined ? {} : { assigned_only: assignedOnly }),
  });

/**
 * Replaces the retention days. The next round of deletions uses them.
 * @throws DomainFailure conflict if the settings have changed since `seen`; validation_failed for more days than the
 * operator's
 */
export const changeRetention = async (
  services: Needed,
  actor: Actor,
  { seen, ...days }: RetentionChange,
): Promise<InstituteSettings> => {
  refuseMoreDays(services.settings, days);
  return changeRow(services, actor, 'retention_edit', seen, days);
};

type Values = { blind: boolean; guide_target: string; assigned_only?: boolean } | RetentionDays;

/**
 * Changes the row, or inserts the first one. The statement compares the revision, so if two changes start from the same
 * revision, the second is refused.
 */
const changeRow = async (
  services: Needed,
  actor: Actor,
  action: 'settings_edit' | 'retention_edit',
  seen: number,
  values: Values,
): Promise<InstituteSettings> => {
  const { institute_id, key_id } = actor;
  const change = { ...values, changed_by: key_id };
  await services.database.inTenant(institute_id, async (tx) => {
    const stored = await readRow(tx, institute_id);
    const changed =
      seen === 0
        ? await tx
            .insertInto('institute_settings')
            .values({ institute_id, ...change })
            .onConflict((conflict) => conflict.column('institute_id').doNothing())
            .returning('revision')
            .executeTakeFirst()
        : await tx
            .updateTable('institute_settings')
            .set({
              ...change,
              revision: sql<number>`revision + 1`,
              changed_at: sql<Date>`clock_timestamp()`,
            })
            .where('institute_id', '=', institute_id)
            .where('revision', '=', seen)
            .returning('revision')
            .executeTakeFirst();
    // Then `stored` is of the revision `seen`, which this statement has replaced.
    if (changed === undefined) throw failure('settings_changed');
    const before = { ...stored, ...examDefaultsIn(stored), assigned_only: stored?.assigned_only ?? false };
    const after =
      'guide_target' in values ? { ...values, guide_target: Number(values.guide_target) } : values;
    await audit(tx, actor, [{ action, ...changesBetween(before, after) }]);
  });
  return showInstituteSettings(services, institute_id);
};
