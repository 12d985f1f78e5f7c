import { sql, type RawBuilder } from 'kysely';
import type { Database } from '@evaluation/database';
import { failure } from '../../command/failures.ts';
import { FINDINGS, type Finding, type FindingKind } from './finding.ts';
import { accountCheck, reservationCheck } from './ledgerChecks.ts';
import { copiesCheck, examCheck, submissionCheck } from './stateChecks.ts';

/*
 * Compares ledger, reservations, runs and counters of each institute and reports differences. It only reads: an
 * operator must find the cause before anything is repaired (docs/operate/runbook.md#reconcile).
 *
 * Each check is a transaction with one statement, so it blocks no other transaction and holds a snapshot no longer than
 * the statement runs. PostgreSQL compares; only the first few findings of each kind are returned.
 */

const CHECKS: readonly ((instituteId: string) => RawBuilder<unknown>)[] = [
  accountCheck,
  reservationCheck,
  submissionCheck,
  examCheck,
  copiesCheck,
];

/** Findings listed for each kind. `total` has the number of all. */
const LISTED = 20;
/**
 * Time limit of a check, which takes seconds for a large ledger. The limit of other transactions is shorter to protect
 * the feed from late writes; a check writes nothing.
 */
const CHECK_TIMEOUT_MS = 300_000;

interface Row extends Omit<Finding, 'institute_id' | 'finding'> {
  finding: string;
}

export const reconcileInstitute = async (
  database: Pick<Database, 'forChecks'>,
  instituteId: string,
  signal?: AbortSignal,
): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    if (signal?.aborted === true) break;
    const rows = await database.forChecks.inTenant(instituteId, async (tx) => {
      await sql.raw(`set local statement_timeout = ${CHECK_TIMEOUT_MS}`).execute(tx);
      return sql<Row>`
        select finding, subject, expected, found, total from (
          select f.*, (count(*) over of_kind)::int as total, row_number() over (of_kind order by subject) as place
          from (${check(instituteId)}) f
          window of_kind as (partition by finding)
        ) numbered
        where place <= ${LISTED}
        order by finding, place`.execute(tx);
    });
    findings.push(
      ...rows.rows.map((row) => ({ ...row, institute_id: instituteId, finding: kindOf(row.finding) })),
    );
  }
  return findings;
};

const kindOf = (name: string): FindingKind => {
  const kind = FINDINGS.find((known) => known === name);
  if (kind === undefined) throw new Error(`the reconciler has no finding ${name}`);
  return kind;
};

const PAGE = 200;

/** Yields the ids of all institutes in order. @param after yields only ids greater than this one */
export async function* instituteIds(
  database: Pick<Database, 'control'>,
  after: string | null = null,
): AsyncGenerator<string> {
  let last = after;
  for (;;) {
    const page = await database.control.institutes.findMany({
      select: { id: true },
      where: last === null ? {} : { id: { gt: last } },
      orderBy: { id: 'asc' },
      take: PAGE,
    });
    for (const { id } of page) yield id;
    if (page.length < PAGE) return;
    last = page.at(-1)?.id ?? null;
  }
}

interface Reconciliation {
  institutes: number;
  findings: Finding[];
  /** Value of `after` for the next call; null if all institutes were checked. */
  next: string | null;
}

/** Time after which a call checks no further institute; shorter than the timeouts of its callers. */
const CALL_MS = 10_000;
/** Number of findings after which a call checks no further institute. */
const CALL_FINDINGS = 500;

/** Checks one institute, or the institutes after `after` until CALL_MS have passed. @throws DomainFailure not_found */
export const reconcileSome = async (
  database: Pick<Database, 'forChecks' | 'control'>,
  { institute_id: one, after }: { institute_id?: string | undefined; after?: string | undefined },
): Promise<Reconciliation> => {
  if (one !== undefined) {
    if ((await database.control.institutes.findUnique({ where: { id: one } })) === null) {
      throw failure('no_such_institute');
    }
    return { institutes: 1, findings: await reconcileInstitute(database, one), next: null };
  }
  const deadline = Date.now() + CALL_MS;
  const findings: Finding[] = [];
  let institutes = 0;
  for await (const id of instituteIds(database, after ?? null)) {
    findings.push(...(await reconcileInstitute(database, id)));
    institutes += 1;
    if (Date.now() >= deadline || findings.length >= CALL_FINDINGS) return { institutes, findings, next: id };
  }
  return { institutes, findings, next: null };
};
