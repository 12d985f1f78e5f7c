import type { Report } from '../analysis/analyse.ts';
import { isNothingGraded } from '../analysis/verdict.ts';
import { html, Html } from './html.ts';
import { decimal, percent, withInterval } from './numbers.ts';
import { learningSection } from './learning.ts';
import { calibrationPlot, confusionPlot, kappaPlot } from './plots.ts';
import { STYLE } from './style.ts';
import {
  bandsTable,
  consistencyText,
  errorsTable,
  farthestTable,
  flagsTable,
  groupsTable,
  perturbationsTable,
  questionsTable,
  trustClass,
} from './tables.ts';

/** Returns the report as one self-contained HTML file: no script, no network, no text of an answer. */
export const pageOf = (report: Report): string => {
  const { grader, data, verdict } = report;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Agreement of ${grader.model} with human marks</title>
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <h1>Does ${graderName(report)} mark as the examiners do?</h1>
        <p class="facts">
          ${data.answers} answers to ${data.questions} questions, ${data.doubleMarked} of them marked by two
          people, ${data.blank} blank (0 by code, not sent to the grader).
          ${grader.promptVersions.length === 0 ? null : `Prompts ${grader.promptVersions.join(', ')}. `}${
            grader.temperature === null ? null : `Temperature ${grader.temperature}. `
          }Made
          ${report.madeAt.slice(0, 16).replace('T', ' ')} UTC. Data ${data.sha256.slice(0, 12)}.
        </p>
        <div class="verdict ${trustClass(verdict.trust)}">
          ${verdict.says.map((sentence) => html`<p>${sentence}</p>`)}
        </div>
        ${grader.notice === null ? null : html`<p class="note">${grader.notice}</p>`} ${sections(report)}
      </body>
    </html> `;
  return page.text;
};

const graderName = ({ grader }: Report): string =>
  grader.provider === 'baseline' ? 'the offline baseline' : grader.model;

const sections = (report: Report): Html =>
  html` <h2>Lines that are crossed</h2>
    <p class="note">
      The testing field's published lines, as ETS's RSMTool draws them: kappa or r below 0.70, degradation
      below −0.10, standardized mean difference beyond ±0.15, exact agreement below 50 %, adjacent below 95 %,
      a group's difference beyond ±0.10. Bold: the whole interval lies beyond the line.
    </p>
    ${flagsTable(report.flags)}

    <h2>By question</h2>
    <div class="plots">
      <figure>
        ${kappaPlot(report)}
        <figcaption>
          Quadratic weighted kappa with its 95 % interval. The diamond is what two people reach on the answers
          that both marked: the ceiling.
        </figcaption>
      </figure>
    </div>
    ${questionsTable(report)} ${errorsTable(report)}
    <p class="note">
      Small print below a number is its 95 % bootstrap interval. Kappa, r and SMD of all questions are taken
      over shares of max marks, so questions that are hard for everybody help them; the mean of the questions'
      own kappas is ${decimal(report.meanOfQuestions.qwk)}, of their r ${decimal(report.meanOfQuestions.r)}.
      Errors are machine − human, in marks.
    </p>

    ${learningSection(report)}

    <h2>By mark band</h2>
    <p class="note">
      Thirds of each question's range, by the human mark. Machines often agree least in the middle third.
    </p>
    ${bandsTable(report)}

    <h2>Human against machine</h2>
    <div class="plots">
      <figure>
        ${confusionPlot(report)}
        <figcaption>
          Answers by both marks, in tenths of the range. Green is where both agree; to the right of it the
          machine is generous, to the left severe.
        </figcaption>
      </figure>
    </div>
    ${
      report.farthest.length === 0
        ? null
        : html`<h3>Where they lie farthest apart</h3>
            ${farthestTable(report)}`
    }

    <h2>Is the confidence worth what it says?</h2>
    ${calibrationSection(report)}

    <h2>Groups</h2>
    ${
      report.groups.length === 0
        ? html`<p>The data name fewer than two groups.</p>`
        : html`${groupsTable(report)}
            <p class="note">
              The last column compares how a group stands among all by the machine's marks and by the human
              ones, in standard deviations; it is 0 when both see the group alike.
            </p>`
    }

    <h2>Changes that should not count</h2>
    ${
      report.perturbations.length === 0
        ? html`<p>
            ${
              report.plan.sample === 0
                ? html`Not measured; <code>--sample 30</code> measures it.`
                : html`Not measured: none of the answers of <code>--sample ${report.plan.sample}</code> could
                    be graded both as it is and changed.`
            }
          </p>`
        : html`${perturbationsTable(report)}
            <p class="note">
              The same answers again, with a change that says nothing about the question. Marks should not
              move; text that addresses the grader should be flagged. “Newly flagged” counts review reasons
              that the unchanged answer did not have.
            </p>`
    }

    <h2>Does it say the same twice?</h2>
    ${consistencyText(report)}

    <h2>Cost and time</h2>
    ${costSection(report)} ${ungradedSection(report)}
    <h2>What the words mean</h2>
    ${WORDS}`;

const calibrationSection = (report: Report): Html => {
  const { calibration, grader } = report;
  if (calibration.bins.every(({ n }) => n === 0)) return html`<p>No judgement stated a confidence.</p>`;
  const { adjacent, exact } = calibration.expectedError;
  return html`<div class="plots">
    <figure>
      ${calibrationPlot(report)}
      <figcaption>
        Filled: adjacent agreement; open: exact. Bars: how many answers. On the dashed line a confidence is
        what it says. The blue curve is the suggested table, over raw confidence.
      </figcaption>
    </figure>
    <div>
      <p>
        Expected calibration error: <strong>${decimal(adjacent)}</strong> against adjacent agreement,
        ${decimal(exact)} against exact.
      </p>
      ${
        calibration.line === null
          ? html`<p class="note">Too few judgements to suggest a calibration table (30 are needed).</p>`
          : html`<p>
              Suggested <code>CONFIDENCE_TABLE</code>, raw confidence : share of adjacent agreement, by
              isotonic
              regression${grader.confidenceTable === null ? ' (the baseline takes none)' : ` (now ${grader.confidenceTable})`}:<br />
              <code>${calibration.line}</code>
            </p>`
      }
    </div>
  </div>`;
};

const costSection = ({ cost, grader }: Report): Html => {
  const seconds = `${decimal(cost.medianSeconds)} s a judgement in the median, ${decimal(cost.p95Seconds)} s or more for the slowest 5 %.`;
  const reused = cost.reused === 0 ? '' : ` (${cost.reused} kept from an earlier run)`;
  if (grader.provider === 'baseline') {
    return html`<p>
      ${cost.judgements} judgements${reused}, ${seconds} This run took ${decimal(cost.wallSeconds, 1)} s. The
      baseline calls no model and costs nothing.
    </p>`;
  }
  const perThousand =
    cost.perThousandAnswers === null
      ? 'without a judgement'
      : `${decimal(cost.perThousandAnswers)} ${cost.currency} for 1000 answers`;
  const money =
    cost.total === null
      ? 'Cost: unknown, since the settings have no price for this model (MODEL_PRICES).'
      : `Cost: ${decimal(cost.total, 4)} ${cost.currency} in all, ${perThousand}.`;
  const vain = cost.callsInVain === 0 ? '' : `, ${cost.callsInVain} of them without a judgement`;
  const cached = cost.inputTokens === 0 ? null : cost.cachedInputTokens / cost.inputTokens;
  return html`<p>${money}</p>
    <p>
      ${cost.judgements} judgements${reused} in ${cost.calls} calls${vain}: ${cost.inputTokens} input tokens
      (${percent(cached)} of them cached), ${cost.outputTokens} output tokens. ${seconds} This run took
      ${decimal(cost.wallSeconds, 1)} s.
    </p>`;
};

const ungradedSection = ({ ungraded, notGraded }: Report): Html | null => {
  if (ungraded.length === 0) return null;
  const lines = [...new Set(ungraded.map(({ line }) => line))].slice(0, 50);
  return html`<h2>Not graded</h2>
    <p>
      ${notGraded.answers} of ${notGraded.outOf} answers could not be
      graded${notGraded.answers === 0 ? null : `, because ${notGraded.because}`}, and ${notGraded.again} of
      their repetitions and changes. Lines: ${lines.join(', ')}. The same command tries them again.
    </p>`;
};

const WORDS = html`<dl>
  <dt>Quadratic weighted kappa (QWK)</dt>
  <dd>
    Agreement beyond chance, where being far off counts more than being a little off. 1 is perfect, 0 what
    chance gives.
  </dd>
  <dt>Exact, adjacent</dt>
  <dd>
    The same marks; marks at most a step apart. Exact means the same half mark (a twentieth of the marks from
    20 upwards). Adjacent means within half a mark below 4 marks, within one mark from 4 on, within a tenth of
    the marks from 15 on.
  </dd>
  <dt>Human–human</dt>
  <dd>
    The same numbers for two people who marked the same answers. No grader can be shown to be better than
    that. Degradation is the machine's kappa minus theirs, on the same answers.
  </dd>
  <dt>Standardized mean difference (SMD)</dt>
  <dd>
    How much more generous (+) or severe (−) the machine is in the mean, in standard deviations of the human
    marks.
  </dd>
  <dt>95 % interval</dt>
  <dd>
    Where the number would lie if other answers of this kind had been marked (bootstrap, 1000 resamples). With
    few answers it is wide, and where all of a few answers agree it is too narrow.
  </dd>
  <dt>Trusted, not shown, not trusted</dt>
  <dd>
    No line crossed on 30 answers or more with the kappa's interval above its line; no line crossed but too
    few answers or too wide an interval; a line crossed.
  </dd>
</dl>`;

export const summaryOf = (report: Report): string =>
  [
    ...report.verdict.says,
    ...(isNothingGraded(report.notGraded) ? [] : [measuresLine(report)]),
    ...(report.calibration.line === null ? [] : [`suggested calibration table: ${report.calibration.line}`]),
  ].join('\n');

const measuresLine = (report: Report): string =>
  `QWK ${withInterval(report.overall.qwk, decimal)}, exact ${percent(report.overall.exact.value)}, adjacent ${percent(report.overall.adjacent.value)}; two people: QWK ${decimal(report.overall.humanQwk.value)}; lines crossed: ${report.flags.length}`;
