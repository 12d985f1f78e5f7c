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

type SettingsRow = Awaited<ReturnType<typeof readRow>>;

const examDefaultsIn = (row: SettingsRow): ExamDefaults => ({
  blind: row?.blind ?? false,
  guide_target: row === undefined ? DEFAULT_TARGET : Number(row.guide_target),
});

export const readExamDefaults = async (tx: Tx, instituteId: string): Promise<ExamDefaults> =>
  examDefaultsIn(await readRow(tx, instituteId));

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
    ...examDefaultsIn(row),
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
 * Replaces the settings, or inserts them for the first time. The revision is compared in the statement, so of two
 * changes that follow the same revision one is refused.
 * @throws DomainFailure conflict if the settings have changed since they were shown
 */
export const changeInstituteSettings = async (
  services: Pick<Services, 'database' | 'settings'>,
  { institute_id, staff_id }: { institute_id: string; staff_id: string },
  { blind, guide_target, seen }: SettingsChange,
): Promise<InstituteSettings> => {
  const change = { blind, guide_target: String(guide_target), changed_by: staff_id };
  const changed = await services.database.inTenant(institute_id, async (tx) =>
    seen === 0
      ? tx
          .insertInto('institute_settings')
          .values({ institute_id, ...change })
          .onConflict((conflict) => conflict.column('institute_id').doNothing())
          .returning('revision')
          .executeTakeFirst()
      : tx
          .updateTable('institute_settings')
          .set({
            ...change,
            revision: sql<number>`revision + 1`,
            changed_at: sql<Date>`clock_timestamp()`,
          })
          .where('institute_id', '=', institute_id)
          .where('revision', '=', seen)
          .returning('revision')
          .executeTakeFirst(),
  );
  if (changed === undefined) throw failure('settings_changed');
  return showInstituteSettings(services, institute_id);
};
