import { KINDS, type Kind, type MeasuredCall, type MeasuredPaper } from './measure.ts';

export interface Prices {
  input: number;
  cachedInput: number;
  output: number;
  currency: string;
}

export interface PaperCosts {
  name: string;
  questions: number;
  /** Number of calls of each kind. Second looks count by the share of answers that get one. */
  calls: Record<Kind, number>;
  inputTokens: number;
  pictureTokens: number;
  /** Input tokens that are the same for the next candidate, and how many of them a cache returns. */
  equalTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** Price for the first candidate, and for a candidate whose common prefixes are in the provider's cache. */
  price: number;
  cachedPrice: number;
}

/** @param secondLooks share of long answers that are judged twice */
export const costsOf = (
  { name, questions, calls }: MeasuredPaper,
  secondLooks: number,
  prices: Prices,
): PaperCosts => {
  const share = ({ kind }: MeasuredCall) => (kind === 'second look' ? secondLooks : 1);
  const sum = (figureOf: (call: MeasuredCall) => number) =>
    calls.reduce((total, call) => total + share(call) * figureOf(call), 0);
  const inputTokens = sum((call) => call.textTokens + call.pictureTokens);
  const cachedTokens = sum((call) => call.cachedTokens);
  const outputTokens = sum((call) => call.outputTokens);
  const price = (cached: number) =>
    ((inputTokens - cached) * prices.input + cached * prices.cachedInput + outputTokens * prices.output) /
    1e6;
  const countOf = (kind: Kind) =>
    calls.filter((call) => call.kind === kind).reduce((n, call) => n + share(call), 0);
  return {
    name,
    questions,
    calls: {
      'read pages': countOf('read pages'),
      align: countOf('align'),
      judge: countOf('judge'),
      'second look': countOf('second look'),
      'read objective': countOf('read objective'),
      rubric: countOf('rubric'),
    },
    inputTokens,
    pictureTokens: sum((call) => call.pictureTokens),
    equalTokens: sum((call) => call.equalTokens),
    cachedTokens,
    outputTokens,
    price: price(0),
    cachedPrice: price(cachedTokens),
  };
};

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (string | number)[][]): string =>
  [row(head), row(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');

const count = (value: number): string => String(Number(value.toFixed(2)));
const tokens = (value: number): string => Math.round(value).toLocaleString('en-US');
const money = (value: number): string => (value === 0 ? '0' : value.toFixed(5));

export const callsTable = (costs: readonly PaperCosts[]): string =>
  table(
    ['calls', ...KINDS, 'together'],
    costs.map(({ name, calls }) => {
      const each = KINDS.map((kind) => calls[kind]);
      return [name, ...each.map(count), count(each.reduce((sum, one) => sum + one, 0))];
    }),
  );

export const tokensTable = (costs: readonly PaperCosts[]): string =>
  table(
    ['tokens', 'input', 'of it pictures', 'equal for all candidates', 'of it from a cache', 'output'],
    costs.map((cost) => [
      cost.name,
      tokens(cost.inputTokens),
      tokens(cost.pictureTokens),
      cost.inputTokens === 0 ? '0' : `${Math.round((100 * cost.equalTokens) / cost.inputTokens)} %`,
      tokens(cost.cachedTokens),
      tokens(cost.outputTokens),
    ]),
  );

/** Money for one copy and for one answer in it. */
export const moneyTable = (costs: readonly PaperCosts[], { currency }: Prices): string =>
  table(
    [currency, 'a copy', 'an answer', 'a copy, cached', 'an answer, cached'],
    costs.map(({ name, questions, price, cachedPrice }) => [
      name,
      money(price),
      money(price / questions),
      money(cachedPrice),
      money(cachedPrice / questions),
    ]),
  );
