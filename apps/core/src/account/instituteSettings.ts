import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import { failure } from '../failures.ts';
import { DEFAULT_TARGET, GuideTarget } from '../guides/target.ts';
import type { Services } from '../services.ts';

/** Defaults for exams that staff of the institute makes. Exams of the API have those of the API. */
interface ExamDefaults {
  blind: boolean;
  guide_target: number;
}

/** Settings of the institute as the desk shows them. */
interface InstituteSettings extends ExamDefaults {
  /** 0 until the settings are changed for the first time. */
  revision: number;
  changed: { at: string; by: string | null } | null;
  /** Days after which files, evidence and readings are deleted. The operator sets them for all institutes. */
  retention: { files_days: number; evidence_days: number; readings_days: number };
}

export const SettingsChange = z.object({
  blind: z.boolean(),
  guide_target: GuideTarget,
  /** Revision that the page has shown. */
  seen: z.int().gte(0),
});
export type SettingsChange = z.infer<typeof SettingsChange>;

const readRow = (tx: Tx, instituteId: string) =>
  tx
    .selectFrom('institute_settings')
    .select(['blind', 'guide_target', 'revision', 'changed_by', 'changed_at'])
    .where('institute_id', '=', instituteId)
    .executeTakeFirst();

export const readExamDefaults = async (tx: Tx, instituteId: string): Promise<ExamDefaults> => {
  const row = await readRow(tx, instituteId);
  return {
    blind: row?.blind ?? false,
    guide_target: row === undefined ? DEFAULT_TARGET : Number(row.guide_target),
  };
};

export const showInstituteSettings = async (
  { database, settings }: Pick<Services, 'database' | 'settings'>,
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
    blind: row?.blind ?? false,
    guide_target: row === undefined ? DEFAULT_TARGET : Number(row.guide_target),
    revision: row?.revision ?? 0,
    changed: row === undefined ? null : { at: row.changed_at.toISOString(), by: person?.name ?? null },
    retention: {
      files_days: settings.files.retentionDays,
      evidence_days: settings.evidence.retentionDays,
      readings_days: settings.readings.retentionDays,
    },
  };
};

/**
 * Replaces the settings. The revision is compared in the statement, so of two changes that follow the same revision one
 * is refused. @throws DomainFailure conflict if the settings have changed since they were shown
 */
export const changeInstituteSettings = async (
  services: Pick<Services, 'database' | 'settings'>,
  actor: { institute_id: string; staff_id: string },
  { blind, guide_target, seen }: SettingsChange,
): Promise<InstituteSettings> => {
  const values = { blind, guide_target: String(guide_target), changed_by: actor.staff_id };
  await services.database.inTenant(actor.institute_id, async (tx) => {
    const changed = await tx
      .insertInto('institute_settings')
      .values({ institute_id: actor.institute_id, ...values })
      .onConflict((conflict) =>
        conflict
          .column('institute_id')
          .doUpdateSet({
            ...values,
            revision: sql<number>`institute_settings.revision + 1`,
            changed_at: sql<Date>`clock_timestamp()`,
          })
          .where('institute_settings.revision', '=', seen),
      )
      .executeTakeFirst();
    if (changed.numInsertedOrUpdatedRows !== 1n) throw failure('settings_changed');
  });
  return showInstituteSettings(services, actor.institute_id);
};
