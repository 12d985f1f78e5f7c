import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatted } from '@evaluation/rest-contract/formatted';
import { lanesTemplate } from './lanesTemplate.ts';
import { withPermissions } from './natsPermissions.ts';
import { readValues, type Value } from './valuesSchema.ts';

/**
 * `npm run generate:chart`: writes the table of values in the chart's README from values.schema.json and values.yaml,
 * the chart's lists of lanes from the table of lanes, and the NATS users of the chart and of docker-compose.yaml from
 * their permissions. With `--check` it writes nothing, and exits with 1 if a file is out of date.
 */
const BEGIN = '<!-- values: begin -->';
const END = '<!-- values: end -->';

const isLeaf = ({ schema, path }: Value): boolean =>
  schema.properties === undefined || path.endsWith('.resources');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** One row for values that are the same in several parts: `facade.nodeSelector`, `core.…`, `migrations.…`. */
const row = ([first, ...others]: [Value, ...Value[]]): string => {
  const { path, schema, default: value } = first;
  const bounds =
    schema.enum === undefined
      ? schema.minimum !== undefined && schema.maximum !== undefined
        ? ` (${schema.minimum} to ${schema.maximum})`
        : ''
      : ` (${schema.enum.map(String).join(', ')})`;
  const places = [path, ...others.map((other) => other.path.replace(/[^.]*$/, '…'))];
  const shown = value === undefined ? '' : `\`${JSON.stringify(value)}\``;
  return `| ${places.map((place) => `\`${place}\``).join(', ')} | ${cell((schema.description ?? '') + bounds)} | ${cell(shown)} |`;
};

const valuesTable = async (chart: string): Promise<string> => {
  const leaves = (await readValues(chart))
    .filter((value) => isLeaf(value) && value.path !== 'global')
    .filter(({ path }) => !/\.resources\./.test(path));
  const rows = new Map<string, [Value, ...Value[]]>();
  for (const value of leaves) {
    const key = JSON.stringify([value.path.replace(/.*\./, ''), value.schema, value.default]);
    const same = rows.get(key);
    if (same === undefined) rows.set(key, [value]);
    else same.push(value);
  }
  return ['| value | what it means | default |', '| --- | --- | --- |', ...[...rows.values()].map(row)].join(
    '\n',
  );
};

/** The README with its table replaced. Cells are not padded: the longest cell would widen every line. */
export const withTable = async (readme: string, chart: string): Promise<string> => {
  const [before, rest] = readme.split(BEGIN);
  const [, after] = (rest ?? '').split(END);
  if (before === undefined || after === undefined) throw new Error(`the README has no ${BEGIN} … ${END}`);
  const text = `${before}${BEGIN}\n<!-- prettier-ignore-start -->\n\n${await valuesTable(chart)}\n\n<!-- prettier-ignore-end -->\n${END}${after}`;
  return formatted('README.md', text);
};

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const chart = join(root, 'charts/answer-evaluation');
  const files: readonly (readonly [name: string, generate: (text: string) => string | Promise<string>])[] = [
    ['charts/answer-evaluation/README.md', (readme) => withTable(readme, chart)],
    ['charts/answer-evaluation/templates/_lanes.tpl', lanesTemplate],
    [
      'charts/answer-evaluation/templates/embedded/nats.yaml',
      (text) => withPermissions(text, '{{ .Values.nats.namespace }}'),
    ],
    // Compose reads $$ as $.
    [
      'docker-compose.yaml',
      (text) => withPermissions(text, 'evaluation', (one) => one.replaceAll('$', '$$$$')),
    ],
  ];
  for (const [name, generate] of files) {
    const text = await readFile(join(root, name), 'utf8').catch(() => '');
    const wanted = await generate(text);
    if (!process.argv.includes('--check')) await writeFile(join(root, name), wanted);
    else if (text !== wanted) {
      console.error(`${name} is not what its sources say: npm run generate:chart`);
      process.exitCode = 1;
    }
  }
}
