import { callsTable, moneyTable, tokensTable, type PaperCosts, type Prices } from './table.ts';

export const PAGE = 'docs/model-costs.md';

/** Round figures for a large model of 2025, so that the page has a unit: not the present prices of any provider. */
export const EXAMPLE_PRICES: Prices = { input: 2, cachedInput: 0.5, output: 8, currency: 'USD' };
/** Share of long answers that are judged twice. It depends on the model's certainty (docs/confidence.md). */
export const EXAMPLE_SECOND_LOOKS = 0.25;

const BEGIN = '<!-- costs: begin -->';
const END = '<!-- costs: end -->';

export const withTables = (page: string, costs: readonly PaperCosts[], prices: Prices): string => {
  const [before, rest] = page.split(BEGIN);
  const [, after] = (rest ?? '').split(END);
  if (before === undefined || after === undefined) throw new Error(`${PAGE} has no ${BEGIN} … ${END}`);
  const tables = [callsTable(costs), tokensTable(costs), moneyTable(costs, prices)];
  return `${before}${BEGIN}\n\n${tables.join('\n\n')}\n\n${END}${after}`;
};

/** Rows of the table whose first heading is `name`, by their first cell; numbers without commas and percent signs. */
export const tableOf = (page: string, name: 'calls' | 'tokens'): Record<string, number[]> => {
  const tables = page.split(/\n\n+/).map((block) =>
    block.split('\n').map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
  );
  const [, , ...rows] = tables.find(([head]) => head?.[0] === name) ?? [];
  const numberIn = (cell: string) => Number(cell.replaceAll(',', '').replace(' %', ''));
  return Object.fromEntries(rows.map(([first = '', ...others]) => [first, others.map(numberIn)]));
};
