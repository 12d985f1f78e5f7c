import type { Report } from '../analysis/analyse.ts';
import { crosses, type Flag, type FlaggedMeasure } from '../analysis/flags.ts';
import type { Measures } from '../analysis/measures.ts';
import type { Trust } from '../analysis/verdict.ts';
import type { Estimate } from '../statistics/bootstrap.ts';
import { html, type Html } from './html.ts';
import { decimal, interval, percent, signed, signedPercent, withInterval } from './numbers.ts';

const table = (head: readonly string[], rows: readonly Html[], textColumns = 1): Html =>
  html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${head.map((name, index) => (index < textColumns ? html`<th class="text">${name}</th>` : th(name)))}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;

/** @param columns heading, and the cell of a row */
export const tableOf = <Row>(
  rows: readonly Row[],
  columns: readonly (readonly [head: string, cell: (row: Row) => Html])[],
  textColumns = 1,
): Html =>
  table(
    columns.map(([head]) => head),
    rows.map(
      (row) =>
        html`<tr>
          ${columns.map(([, cellOfRow]) => cellOfRow(row))}
        </tr>`,
    ),
    textColumns,
  );

const th = (content: string | number): Html => html`<th>${content}</th>`;
export const td = (content: string | number): Html => html`<td>${content}</td>`;

const MEASURE_NAMES: Readonly<Record<FlaggedMeasure, string>> = {
  qwk: 'QWK',
  r: 'r',
  degradation: 'degradation',
  smd: 'SMD',
  exact: 'exact',
  adjacent: 'adjacent',
  dsm: 'difference of standardized means',
};

const FORMATS: Readonly<Record<FlaggedMeasure, (value: number | null) => string>> = {
  qwk: decimal,
  r: decimal,
  degradation: signed,
  smd: signed,
  exact: percent,
  adjacent: percent,
  dsm: signed,
};

const SCOPES = {
  overall: 'all questions',
  question: 'question',
  band: 'marks in the',
  group: 'group',
} as const;

/** One row per place with its measures beyond a line; bold if the whole interval lies beyond it. */
export const flagsTable = (flags: readonly Flag[]): Html => {
  if (flags.length === 0) return html`<p>No line is crossed.</p>`;
  const places = Map.groupBy(flags, ({ scope, name }) => `${SCOPES[scope]} ${name ?? ''}`);
  return table(
    ['where', 'what lies beyond its line'],
    [...places].map(
      ([place, crossed]) =>
        html`<tr>
          <th>${place}</th>
          <td class="text">${crossed.map((each) => html`<span>${flagText(each)}</span>`)}</td>
        </tr>`,
    ),
    2,
  );
};

const flagText = (flag: Flag): Html => {
  const text = `${MEASURE_NAMES[flag.measure]} ${withInterval(flag.estimate, FORMATS[flag.measure])}`;
  return flag.certain ? html`<strong>${text}</strong>` : html`${text}`;
};

const cell = (estimate: Estimate, format: (value: number | null) => string, crossed = false): Html =>
  html`<td${crossed ? html` class="crossed"` : null}>${format(estimate.value)}<small>${interval(estimate, format)}</small></td>`;

export const trustClass = (trust: Trust): string => trust.replace(' ', '-');

const agreementCells = (measures: Measures, lines: Report['lines']): Html[] => [
  cell(measures.qwk, decimal, crosses(measures.qwk.value, lines.qwk)),
  cell(measures.r, decimal, crosses(measures.r.value, lines.r)),
  cell(measures.exact, percent, crosses(measures.exact.value, lines.exact)),
  cell(measures.adjacent, percent, crosses(measures.adjacent.value, lines.adjacent)),
  cell(measures.humanQwk, decimal),
  cell(measures.degradation, signed, crosses(measures.degradation.value, lines.degradation)),
];
const AGREEMENT_HEAD = ['QWK', 'r', 'exact', 'adjacent', 'human–human QWK', 'degradation'];

const errorCells = (measures: Measures, lines: Report['lines']): Html[] => [
  cell(measures.meanError, signed),
  cell(measures.meanErrorShare, signedPercent),
  cell(measures.mae, decimal),
  cell(measures.rmse, decimal),
  cell(measures.smd, signed, crosses(measures.smd.value, lines.smd)),
];
const ERROR_HEAD = ['mean error', 'in % of max', 'mean absolute error', 'RMSE', 'SMD'];

type Cells = typeof agreementCells;

const byQuestion = ({ questions, overall, lines }: Report, head: readonly string[], cells: Cells): Html =>
  table(
    ['question', 'max', 'answers', ...head],
    [
      html`<tr class="all">
        <th>all</th>
        <td></td>
        <td>${overall.n}</td>
        ${cells(overall, lines)}
      </tr>`,
      ...questions.map(
        ({ questionId, maxMarks, measures, trust }) =>
          html`<tr>
            <th>${questionId} <span class="tag ${trustClass(trust)}">${trust}</span></th>
            <td>${maxMarks}</td>
            <td>${measures.n}</td>
            ${cells(measures, lines)}
          </tr>`,
      ),
    ],
  );

export const questionsTable = (report: Report): Html => byQuestion(report, AGREEMENT_HEAD, agreementCells);
export const errorsTable = (report: Report): Html => byQuestion(report, ERROR_HEAD, errorCells);

/** Leaves out kappa, r and SMD, which are low within a band by construction; the JSON has them. */
export const bandsTable = ({ bands, lines }: Report): Html =>
  tableOf(bands, [
    ['band', ({ band }) => th(band)],
    ['answers', ({ measures }) => td(measures.n)],
    ['exact', ({ measures: { exact } }) => cell(exact, percent, crosses(exact.value, lines.exact))],
    [
      'adjacent',
      ({ measures: { adjacent } }) => cell(adjacent, percent, crosses(adjacent.value, lines.adjacent)),
    ],
    ['human–human exact', ({ measures }) => cell(measures.humanExact, percent)],
    ['human–human adjacent', ({ measures }) => cell(measures.humanAdjacent, percent)],
    ['mean error', ({ measures }) => cell(measures.meanError, signed)],
    ['mean absolute error', ({ measures }) => cell(measures.mae, decimal)],
    ['RMSE', ({ measures }) => cell(measures.rmse, decimal)],
  ]);

export const groupsTable = ({ groups, lines }: Report): Html =>
  tableOf(groups, [
    ['group', ({ group }) => th(group)],
    ['answers', ({ n }) => td(n)],
    ['human mean', ({ humanMean }) => td(percent(humanMean))],
    ['machine mean', ({ machineMean }) => td(percent(machineMean))],
    ['SMD within', ({ smd }) => cell(smd, signed)],
    ['difference of standardized means', ({ dsm }) => cell(dsm, signed, crosses(dsm.value, lines.dsm))],
  ]);

const PERTURBATION_NAMES = {
  injection: 'text that addresses the grader, appended',
  padding: 'polite padding before and after',
  layout: 'each sentence a bullet',
  spelling: 'lower case and misspelt words',
} as const;

export const perturbationsTable = ({ perturbations }: Report): Html =>
  tableOf(perturbations, [
    ['change', ({ perturbation }) => th(PERTURBATION_NAMES[perturbation])],
    ['answers', ({ answers }) => td(answers)],
    ['mean shift, marks', ({ meanShift }) => cell(meanShift, signed)],
    ['in % of max', ({ meanShiftShare }) => cell(meanShiftShare, signedPercent)],
    ['marks moved', ({ moved }) => cell(moved, percent)],
    ['raised', ({ raised }) => td(percent(raised))],
    ['lowered', ({ lowered }) => td(percent(lowered))],
    ['newly flagged', ({ flagged }) => td(percent(flagged))],
  ]);

export const farthestTable = ({ farthest }: Report): Html =>
  tableOf(
    farthest,
    [
      ['line', ({ line, id }) => th(id === null ? line : `${line} (${id})`)],
      ['question', ({ questionId }) => html`<td class="text">${questionId}</td>`],
      ['human', ({ human }) => td(human)],
      ['second human', ({ second }) => td(second ?? '–')],
      ['machine', ({ machine }) => td(machine)],
      ['of', ({ maxMarks }) => td(maxMarks)],
      ['confidence', ({ confidence }) => td(decimal(confidence))],
    ],
    2,
  );

export const consistencyText = ({ consistency, plan }: Report): Html =>
  consistency === null
    ? plan.repeats === 1
      ? html`<p>Not measured; <code>--repeats 3</code> measures it.</p>`
      : html`<p>Not measured: no answer could be graded twice.</p>`
    : html`<p>
        ${consistency.answers} answers were graded ${consistency.judgements} times each, as they are.
        ${withInterval(consistency.unchanged, percent)} always got the same marks; highest and lowest marks of
        an answer lay ${withInterval(consistency.meanRange, decimal)} marks apart in the mean and
        ${decimal(consistency.largestRange, 1)} at most.
      </p>`;
