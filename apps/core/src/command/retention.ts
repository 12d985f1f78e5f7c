import { sql, type RawBuilder } from 'kysely';

/*
 * Days that data is kept. The operator sets a number for the installation; an institute can set a smaller one
 * (`institute_settings`). Each round of deletions therefore runs two statements: one for all institutes with the
 * operator's days, and one for the institutes with fewer days, which reads an index of the institute. If the operator
 * lowers the number below that of an institute, the operator's number counts.
 */

/** Columns of `institute_settings`. */
export type DaysColumn = 'files_days' | 'evidence_days' | 'readings_days';

/** Builds a select of rows of one table that are older than `days`; `ofInstitute` belongs into its condition. */
type SelectDue<Row> = (days: RawBuilder<number>, ofInstitute: RawBuilder<boolean>) => RawBuilder<Row>;

/**
 * @param selectDue a select with an order and a limit
 * @returns the statement for the installation, and the statement for the institutes that keep data for fewer days
 */
export const dueByRetention = <Row>(
  column: DaysColumn,
  operatorDays: number,
  limit: number,
  selectDue: SelectDue<Row>,
): readonly [RawBuilder<Row>, RawBuilder<Row>] => {
  const days = sql.ref<number>(`own.${column}`);
  return [
    selectDue(sql<number>`${operatorDays}::int`, sql<boolean>`true`),
    sql<Row>`
      select due.* from institute_settings own
      cross join lateral (${selectDue(days, sql<boolean>`institute_id = own.institute_id`)}) due
      where ${days} < ${operatorDays} limit ${limit}`,
  ];
};
