import type { Report } from '../analysis/analyse.ts';
import { crosses, type Flag, type FlaggedMeasure } from '../analysis/flags.ts';
import type { Measures } from '../analysis/measures.ts';
import type { Trust } from '../analysis/verdict.ts';
import type { Estimate } from '../statistics/bootstrap.ts';
import { html, type Html } from './html.ts';
import { decimal, interval, percent, signed, signedPercent, withInterval } from './numbers.ts';

export const table = (head: readonly (string | Html)[], rows: readonly Html[], textColumns = 1): Html =>
  html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${head.map((name, index) =>
            index < textColumns
              ? html`<th class="text">${cellOf(name)}</th>`
              : html`<th>${cellOf(name)}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;

const cellOf = (name: string | Html): Html => (typeof name === 'string' ? html`${name}` : name);

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
  table(
    [
      'band',
      'answers',
      'exact',
      'adjacent',
      'human–human exact',
      'human–human adjacent',
      'mean error',
      'mean absolute error',
      'RMSE',
    ],
    bands.map(
      ({ band, measures }) =>
        html`<tr>
          <th>${band}</th>
          <td>${measures.n}</td>
          ${cell(measures.exact, percent, crosses(measures.exact.value, lines.exact))}
          ${cell(measures.adjacent, percent, crosses(measures.adjacent.value, lines.adjacent))}
          ${cell(measures.humanExact, percent)}${cell(measures.humanAdjacent, percent)}
          ${cell(measures.meanError, signed)}${cell(measures.mae, decimal)}${cell(measures.rmse, decimal)}
        </tr>`,
    ),
  );

export const groupsTable = ({ groups, lines }: Report): Html =>
  table(
    ['group', 'answers', 'human mean', 'machine mean', 'SMD within', 'difference of standardized means'],
    groups.map(
      ({ group, n, humanMean, machineMean, smd, dsm }) =>
        html`<tr>
          <th>${group}</th>
          <td>${n}</td>
          <td>${percent(humanMean)}</td>
          <td>${percent(machineMean)}</td>
          ${cell(smd, signed)}${cell(dsm, signed, crosses(dsm.value, lines.dsm))}
        </tr>`,
    ),
  );

const PERTURBATION_NAMES = {
  injection: 'text that talks to the grader, appended',
  padding: 'polite padding before and after',
  layout: 'each sentence a bullet',
  spelling: 'lower case and misspelt words',
} as const;

export const perturbationsTable = ({ perturbations }: Report): Html =>
  table(
    [
      'change',
      'answers',
      'mean shift, marks',
      'in % of max',
      'marks moved',
      'raised',
      'lowered',
      'newly flagged',
    ],
    perturbations.map(
      (effect) =>
        html`<tr>
          <th>${PERTURBATION_NAMES[effect.perturbation]}</th>
          <td>${effect.answers}</td>
          ${cell(effect.meanShift, signed)}${cell(effect.meanShiftShare, signedPercent)}${cell(effect.moved, percent)}
          <td>${percent(effect.raised)}</td>
          <td>${percent(effect.lowered)}</td>
          <td>${percent(effect.flagged)}</td>
        </tr>`,
    ),
  );

export const farthestTable = ({ farthest }: Report): Html =>
  table(
    ['line', 'question', 'human', 'second human', 'machine', 'of', 'confidence'],
    farthest.map(
      ({ line, id, questionId, maxMarks, human, second, machine, confidence }) =>
        html`<tr>
          <th>${line}${id === null ? null : ` (${id})`}</th>
          <td class="text">${questionId}</td>
          <td>${human}</td>
          <td>${second ?? '–'}</td>
          <td>${machine}</td>
          <td>${maxMarks}</td>
          <td>${decimal(confidence)}</td>
        </tr>`,
    ),
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
