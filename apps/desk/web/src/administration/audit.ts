import Papa from 'papaparse';
import { BEGINS_LIKE_FORMULA } from '../../../tables/formulaCells.ts';
import type { PublicRouter } from '@evaluation/core-client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { client } from '../app/calls.ts';

export type Decision = inferRouterOutputs<PublicRouter>['desk']['audit']['list']['data'][number];
export type DecisionFilter = Pick<
  NonNullable<inferRouterInputs<PublicRouter>['desk']['audit']['list']>,
  'person' | 'exam_id' | 'action' | 'from' | 'to'
>;

export const ACTIONS = [
  'override',
  'override_dropped',
  'approve',
  'finalize',
  'unfinalize',
  'guide_apply',
  'guide_undo',
] as const satisfies readonly Decision['action'][];

const markIn = (value: unknown): number | null => {
  if (typeof value !== 'object' || value === null || !('awarded' in value)) return null;
  return typeof value.awarded === 'number' ? value.awarded : null;
};

/** Marks before and after a decision on one question; null where it has none. */
export const marksOf = ({ before, after }: Pick<Decision, 'before' | 'after'>) => ({
  before: markIn(before),
  after: markIn(after),
});

/** The export ends after this many rows. */
export const MOST_EXPORTED = 10_000;
const PAGE = 200;

/** All decisions of a filter as CSV, newest first. Texts that a spreadsheet would take for formulas are escaped. */
export const decisionsAsCsv = async (filter: DecisionFilter): Promise<{ csv: string; isCut: boolean }> => {
  const rows: Decision[] = [];
  let before: { created_at: string; id: string } | null = null;
  do {
    const page: inferRouterOutputs<PublicRouter>['desk']['audit']['list'] =
      await client.desk.audit.list.query({
        ...filter,
        limit: PAGE,
        ...(before === null ? {} : { before }),
      });
    rows.push(...page.data);
    before = page.next_before;
  } while (before !== null && rows.length < MOST_EXPORTED);
  const csv = Papa.unparse(
    rows.map((row) => ({
      time: row.created_at,
      person: row.person.name,
      person_kind: row.person.kind,
      action: row.action,
      exam: row.exam.title,
      exam_id: row.exam.id,
      submission_id: row.submission_id,
      question: row.question_label ?? '',
      reviewer: row.reviewer ?? '',
      reason: row.reason ?? '',
      before: JSON.stringify(row.before),
      after: JSON.stringify(row.after),
    })),
    { escapeFormulae: BEGINS_LIKE_FORMULA },
  );
  return { csv, isCut: before !== null };
};
