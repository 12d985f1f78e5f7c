import { openPoints, type OpenPoint } from './openPoints.ts';

const heading = '| chapter | the spec says | open | what we do | why | id |';

const rowText = (point: OpenPoint): string =>
  `| ${[
    point.chapter,
    `“${point.words.replaceAll('|', '\\|')}”`,
    point.place,
    point.choice,
    point.why,
    `\`${point.id}\``,
  ].join(' | ')} |`;

const table = (points: readonly OpenPoint[]): string[] => [
  heading,
  '| --- | --- | --- | --- | --- | --- |',
  ...points.map(rowText),
];

/** `docs/open-points.md`: the places that the spec leaves open, and what we do there. */
export const openPointsPage = (): string =>
  [
    '# Open points',
    '',
    '<!-- Generated from contracts/rest/src/openPoints.ts: `npm run generate:docs -w @evaluation/rest-contract`. -->',
    '',
    'The specification marks places "not shown" and forbids inventing values there. Nothing is exposed at such a place unless the operation cannot work without it; then names and shapes are taken that stand elsewhere in the specification. An operation that rests on a row carries its id as `x-provisional` in `openapi.json`: the day the specification settles the place, that row says what has to change.',
    '',
    '## In this release',
    '',
    ...table(openPoints.filter(({ status }) => status === 'built')),
    '',
    '## Decided, not in this release',
    '',
    ...table(openPoints.filter(({ status }) => status === 'absent')),
    '',
  ].join('\n');
