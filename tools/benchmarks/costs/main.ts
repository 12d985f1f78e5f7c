/**
 * `npm run costs [-- --write]`: counts calls, tokens and money of one copy and of one answer, from the requests that
 * the grader sends to a programmable model server. `--write` puts the tables into docs/model-costs.md.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatted } from '@evaluation/rest-contract/formatted';
import { measure } from './measure.ts';
import { EXAMPLE_PRICES, EXAMPLE_SECOND_LOOKS, PAGE, withTables } from './page.ts';
import { callsTable, costsOf, moneyTable, tokensTable } from './table.ts';

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    input: { type: 'string', default: String(EXAMPLE_PRICES.input) },
    cached: { type: 'string', default: String(EXAMPLE_PRICES.cachedInput) },
    output: { type: 'string', default: String(EXAMPLE_PRICES.output) },
    currency: { type: 'string', default: EXAMPLE_PRICES.currency },
    'second-looks': { type: 'string', default: String(EXAMPLE_SECOND_LOOKS) },
    pictures: { type: 'string', default: 'tiles' },
    detail: { type: 'string', default: 'high' },
  },
});

const amount = (name: 'input' | 'cached' | 'output' | 'second-looks'): number => {
  const value = Number(values[name]);
  if (!(value >= 0)) throw new Error(`--${name} is not a number from 0 on: ${values[name]}`);
  return value;
};

const prices = {
  input: amount('input'),
  cachedInput: amount('cached'),
  output: amount('output'),
  currency: values.currency,
};
const measured = await measure({
  pictures: values.pictures === 'patches' ? 'patches' : 'tiles',
  detail: values.detail === 'low' ? 'low' : 'high',
});
const costs = measured.map((paper) => costsOf(paper, amount('second-looks'), prices));

if (values.write) {
  const file = join(import.meta.dirname, '../../..', PAGE);
  const page = withTables(await readFile(file, 'utf8'), costs, prices);
  await writeFile(file, await formatted(PAGE, page));
  console.log(`${PAGE}: written`);
} else {
  console.log([callsTable(costs), tokensTable(costs), moneyTable(costs, prices)].join('\n\n'));
}
