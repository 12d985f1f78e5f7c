import Papa from 'papaparse';
import { CHANGED_BY_SPREADSHEET } from '../../../tables/formulaCells.ts';
import type { PublicRouter } from '@evaluation/core-client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { client } from '../app/calls.ts';
import english from '../app/texts.en.json' with { type: 'json' };

export type Act = inferRouterOutputs<PublicRouter>['desk']['audit']['list']['data'][number];
export type ActFilter = Pick<
  NonNullable<inferRouterInputs<PublicRouter>['desk']['audit']['list']>,
  'person' | 'exam_id' | 'submission_id' | 'action' | 'from' | 'to'
>;

const TEXTS = 'administration.action.';
const isAction = (name: string): name is Act['action'] => Object.hasOwn(english, `${TEXTS}${name}`);

/** Each action has a text, or the page does not compile. */
export const ACTIONS = Object.keys(english)
  .map((key) => key.slice(TEXTS.length))
  .filter(isAction);

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const shownValue = (value: unknown): string => {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Changes of an act, one line for each field: of a mark the mark alone, of a paper the fields of each question. */
export const changesOf = ({ before, after }: Pick<Act, 'before' | 'after'>): string[] => {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  if ('awarded' in old || 'awarded' in now)
    return [`${shownValue(old['awarded'])} → ${shownValue(now['awarded'])}`];
  return linesOf(old, now, '');
};

const linesOf = (old: Record<string, unknown>, now: Record<string, unknown>, prefix: string): string[] =>
  [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((field) => {
    const [one, other] = [old[field], now[field]];
    const isNested = Object.keys({ ...fieldsOf(one), ...fieldsOf(other) }).length > 0;
    if (isNested) return linesOf(fieldsOf(one), fieldsOf(other), `${prefix}${field} · `);
    const value = one === undefined ? shownValue(other) : `${shownValue(one)} → ${shownValue(other)}`;
    return shownValue(one) === shownValue(other) ? [] : [`${prefix}${field}: ${value}`];
  });

/** The export ends after this many rows. */
export const MOST_EXPORTED = 10_000;
const PAGE = 200;

/** All entries of a filter as CSV, newest first. Texts that a spreadsheet would take for formulas are escaped. */
export const auditAsCsv = async (filter: ActFilter): Promise<{ csv: string; isCut: boolean }> => {
  const rows: Act[] = [];
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
      team: row.person.team ?? '',
      action: row.action,
      exam: row.exam?.title ?? '',
      exam_id: row.exam?.id ?? '',
      submission_id: row.submission?.id ?? '',
      candidate: row.submission?.candidate ?? '',
      question: row.question_label ?? '',
      subject: row.subject?.name ?? '',
      subject_id: row.subject?.id ?? '',
      reviewer: row.reviewer ?? '',
      reason: row.reason ?? '',
      before: JSON.stringify(row.before),
      after: JSON.stringify(row.after),
    })),
    { escapeFormulae: CHANGED_BY_SPREADSHEET },
  );
  return { csv, isCut: before !== null };
};
