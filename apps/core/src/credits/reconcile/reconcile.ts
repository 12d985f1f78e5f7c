import { sql, type RawBuilder } from 'kysely';
import type { Database } from '@evaluation/database';
import { failure } from '../../failures.ts';
import { FINDINGS, type Finding, type FindingKind } from './finding.ts';
import { accountCheck, reservationCheck } from './ledgerChecks.ts';
import { copiesCheck, examCheck, submissionCheck } from './stateChecks.ts';

/*
 * Compares ledger, reservations, runs and counters, institute by institute, and says what does not add up. It writes
 * nothing and repairs nothing: what happened has to be understood by a person first (docs/operations.md).
 *
 * Each check is a transaction of its own with one statement, so it holds no lock that the service waits for, nor a
 * snapshot for longer than it takes. PostgreSQL does the comparing; of each kind only the first few findings come back.
 */

const CHECKS: readonly ((instituteId: string) => RawBuilder<unknown>)[] = [
  accountCheck,
  reservationCheck,
  submissionCheck,
  examCheck,
  copiesCheck,
];

/** Enough to see what happened; the total says how many more there are. */
const LISTED = 20;
/** The bound on transactions is there for the feed (docs/architecture.md#times), which reading cannot delay. A check of a large ledger takes seconds. */
const CHECK_TIMEOUT_MS = 300_000;

interface Row {
  finding: string;
  subject: string;
  expected: string;
  found: string;
  total: number;
}

/** Everything about one institute that does not add up, the same kinds together. */
export const reconcileInstitute = async (
  database: Pick<Database, 'inTenant'>,
  instituteId: string,
  signal?: AbortSignal,
): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    if (signal?.aborted === true) break;
    const rows = await database.inTenant(
      instituteId,
      async (tx) => {
        await sql.raw(`set local statement_timeout = ${CHECK_TIMEOUT_MS}`).execute(tx);
        return sql<Row>`
        select finding, subject, expected, found, total from (
          select f.*, (count(*) over of_kind)::int as total, row_number() over (of_kind order by subject) as place
          from (${check(instituteId)}) f
          window of_kind as (partition by finding)
        ) numbered
        where place <= ${LISTED}
        order by finding, place`.execute(tx);
      },
      'unhurried',
    );
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

/** Institutes looked up at once, so that any number of them takes little memory. */
const PAGE = 200;

/** Their ids in order. @param after starts behind this one */
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

export interface Reconciliation {
  /** Institutes that were looked at. */
  institutes: number;
  findings: Finding[];
  /** Where to go on with `after`; null when all were looked at. */
  next: string | null;
}

/** A call is answered within about this, or one institute more: well before its caller gives up waiting. */
const CALL_MS = 10_000;
/** And with no more than about this many findings. */
const CALL_FINDINGS = 500;

/** One institute, or as many as a call has time for, from `after` on. @throws DomainFailure not_found */
export const reconcileSome = async (
  database: Pick<Database, 'inTenant' | 'control'>,
  { institute_id: one, after }: { institute_id?: string | undefined; after?: string | undefined },
): Promise<Reconciliation> => {
  if (one !== undefined) {
    if ((await database.control.institutes.findUnique({ where: { id: one } })) === null) {
      throw failure('no_such_institute');
    }
    return { institutes: 1, findings: await reconcileInstitute(database, one), next: null };
  }
  const goOnUntil = Date.now() + CALL_MS;
  const findings: Finding[] = [];
  let institutes = 0;
  for await (const id of instituteIds(database, after ?? null)) {
    findings.push(...(await reconcileInstitute(database, id)));
    institutes += 1;
    if (Date.now() >= goOnUntil || findings.length >= CALL_FINDINGS)
      return { institutes, findings, next: id };
  }
  return { institutes, findings, next: null };
};
