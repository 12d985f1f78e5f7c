import type { Report } from '../analysis/analyse.ts';
import { html, type Html } from './html.ts';
import { decimal, percent, signed, withInterval } from './numbers.ts';
import { tableOf, td } from './tables.ts';

/** What the teacher's marks teach: curve and table. null if nothing was learned. */
export const learningSection = (report: Report): Html | null => {
  const { learning } = report;
  if (learning.length === 0) return null;
  const chosen = learning.some((each) => each.chosen);
  return html`<h2>Learning from the teacher's marks</h2>
    <div class="plots">
      <figure>
        ${learningPlot(report)}
        <figcaption>
          Kappa of the answers that the teacher did not mark, by the number of marks per question, with 95 %
          intervals. At 0 it is that of the grader alone. The dashed line is what two people reach.
        </figcaption>
      </figure>
    </div>
    ${tableOf(learning, [
      ['marks per question', ({ marked }) => html`<td class="text">${marked}</td>`],
      ['rest', ({ rest }) => td(rest.n)],
      ['QWK of the rest', ({ rest }) => td(withInterval(rest.qwk, decimal))],
      ['SMD', ({ rest }) => td(signed(rest.smd))],
      ['mean of questions', ({ rest }) => td(decimal(rest.meanOfQuestions))],
      ['QWK of all', ({ class: all }) => td(withInterval(all.qwk, decimal))],
      ['pass without review', ({ passed }) => td(percent(passed.share))],
      ['of them agree', ({ passed }) => td(percent(passed.agreement))],
    ])}
    <p class="note">
      The marked answers were
      ${chosen ? 'chosen by the guide' : 'drawn at random, several times; the draws are pooled'}. Pooled kappa
      flatters: questions that are hard for all candidates raise it, and a guide learns first how hard a
      question is. The mean of the questions' own kappas shows how well answers to one question are told
      apart. “All” includes the teacher's own marks. The target for what passes is
      ${percent(learning[0]?.passed.target ?? null)} within one mark step.
    </p>`;
};

const px = (value: number): string => String(Math.round(value * 10) / 10);

const learningPlot = ({ learning, overall }: Report): Html => {
  const points = [
    { marked: 0, qwk: overall.qwk },
    ...learning.filter(({ marked }) => marked > 0).map(({ marked, rest }) => ({ marked, qwk: rest.qwk })),
  ];
  const [left, top, width, height] = [45, 12, 500, 220];
  const most = Math.max(1, ...points.map(({ marked }) => marked));
  const lowest = Math.min(0, ...points.map(({ qwk }) => qwk.low ?? qwk.value ?? 0));
  const from = Math.floor(lowest * 5) / 5;
  const x = (marked: number): string => px(left + (marked / most) * (width - left - 25));
  const y = (value: number): string => px(top + ((1 - value) / (1 - from)) * height);
  const ticks = Array.from({ length: Math.round((1 - from) * 5) + 1 }, (_, index) => from + index / 5);
  const known = points.flatMap(({ marked, qwk: { value, low, high } }) =>
    value === null ? [] : [{ marked, value, low: low ?? value, high: high ?? value }],
  );
  const people = overall.humanQwk.value;
  return html`<svg
    viewBox="0 0 ${width} ${top + height + 40}"
    width="${width}"
    role="img"
    aria-label="Kappa of the unmarked answers by the number of marked answers"
  >
    ${ticks.map(
      (tick) =>
        html`<line x1="${left}" x2="${width - 25}" y1="${y(tick)}" y2="${y(tick)}" stroke="#e6eaef" />
          <text x="${left - 8}" y="${y(tick)}" text-anchor="end" dominant-baseline="middle"
            >${decimal(tick, 1)}</text
          >`,
    )}
    ${points.map(
      ({ marked }) =>
        html`<text x="${x(marked)}" y="${top + height + 18}" text-anchor="middle">${marked}</text>`,
    )}
    ${
      people === null
        ? null
        : html`<line
              x1="${left}"
              x2="${width - 25}"
              y1="${y(people)}"
              y2="${y(people)}"
              stroke="#1d2733"
              stroke-dasharray="4 3"
            />
            <text x="${width - 25}" y="${px(Number(y(people)) - 5)}" text-anchor="end"
              >two people ${decimal(people)}</text
            >`
    }
    <polyline
      points="${known.map(({ marked, value }) => `${x(marked)},${y(value)}`).join(' ')}"
      fill="none"
      stroke="#2b5d9b"
      stroke-width="2"
    />
    ${known.map(
      ({ marked, value, low, high }) =>
        html`<line x1="${x(marked)}" x2="${x(marked)}" y1="${y(low)}" y2="${y(high)}" stroke="#2b5d9b" />
          <circle cx="${x(marked)}" cy="${y(value)}" r="4.5" fill="#2b5d9b" />`,
    )}
  </svg>`;
};
