import * as z from 'zod/v4';
import type { CoreSettings } from '@evaluation/platform/settings';
import { refuse } from '../../command/accept.ts';
import type { DaysColumn } from '../../command/retention.ts';

/*
 * Days that data of an institute is kept (docs/desk/administration.md#settings). `null` means the number that the
 * operator has set. A run needs its evidence and readings for at most a day after its first claim, so one day, and two
 * for readings, are safe for a run in progress.
 */

const days = (least: number) => z.int().gte(least).lte(3650).nullable();

export const RetentionDays = z.object({
  /** Files that no submission uses, and files and evidence of deleted submissions. */
  files_days: days(1),
  evidence_days: days(1),
  readings_days: days(2),
});
export type RetentionDays = z.infer<typeof RetentionDays>;

export interface ShownRetention {
  /** Days that the operator has set. With 0 days, evidence is not kept at all. */
  retention: Record<DaysColumn, number>;
  /** Days that the institute has set. A number above the operator's has no effect. */
  own_retention: RetentionDays;
}

type OperatorSettings = Pick<CoreSettings, 'files' | 'evidence' | 'readings'>;

const operatorDays = ({ files, evidence, readings }: OperatorSettings): ShownRetention['retention'] => ({
  files_days: files.retentionDays,
  evidence_days: evidence.retentionDays,
  readings_days: readings.retentionDays,
});

export const shownRetention = (
  settings: OperatorSettings,
  row: RetentionDays | undefined,
): ShownRetention => ({
  retention: operatorDays(settings),
  own_retention: {
    files_days: row?.files_days ?? null,
    evidence_days: row?.evidence_days ?? null,
    readings_days: row?.readings_days ?? null,
  },
});

/** @throws DomainFailure validation_failed for each number above the operator's */
export const refuseMoreDays = (settings: OperatorSettings, own: RetentionDays): void => {
  const most = operatorDays(settings);
  const columns = ['files_days', 'evidence_days', 'readings_days'] as const satisfies readonly DaysColumn[];
  const problems = columns.flatMap((field) => {
    const given = own[field];
    return given === null || given <= most[field]
      ? []
      : [
          {
            field,
            code: 'out_of_range',
            message: `Must be at most ${most[field]}, the days of the operator.`,
          },
        ];
  });
  if (problems.length > 0) refuse(problems);
};
