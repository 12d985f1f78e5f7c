import type { Report } from '../analysis/analyse.ts';
import { LINES } from '../analysis/flags.ts';
import { html, type Html } from './html.ts';
import { decimal } from './numbers.ts';

const px = (value: number): string => String(Math.round(value * 10) / 10);

/** Kappa of each question with its interval; the open diamond is the kappa between two human markers. */
export const kappaPlot = ({ questions, overall }: Report): Html => {
  const rows = [
    { name: 'all questions', measures: overall },
    ...questions.map(({ questionId, measures }) => ({ name: questionId, measures })),
  ];
  const left = 130;
  const width = 560;
  const rowHeight = 24;
  const bottom = rows.length * rowHeight + 8;
  const lowest = Math.min(0, ...rows.flatMap(({ measures: { qwk } }) => [qwk.low ?? qwk.value ?? 0]));
  const from = Math.max(-1, Math.floor(lowest * 5) / 5);
  const at = (value: number): number =>
    left + ((Math.max(value, from) - from) / (1 - from)) * (width - left - 15);
  const ticks = Array.from({ length: Math.round((1 - from) * 5) + 1 }, (_, index) => from + index / 5);
  return html`<svg
    viewBox="0 0 ${width} ${bottom + 34}"
    width="${width}"
    role="img"
    aria-label="Quadratic weighted kappa by question, with 95 % intervals"
  >
    ${ticks.map(
      (tick) =>
        html`<line x1="${px(at(tick))}" x2="${px(at(tick))}" y1="0" y2="${bottom}" stroke="#e6eaef" />
          <text x="${px(at(tick))}" y="${bottom + 15}" text-anchor="middle">${decimal(tick, 1)}</text>`,
    )}
    <line
      x1="${px(at(LINES.qwk.least))}"
      x2="${px(at(LINES.qwk.least))}"
      y1="0"
      y2="${bottom}"
      stroke="#a3261b"
      stroke-dasharray="4 3"
    />
    <text x="${px(at(LINES.qwk.least))}" y="${bottom + 29}" text-anchor="middle" style="fill:#a3261b">
      line ${decimal(LINES.qwk.least)}
    </text>
    ${rows.map(({ name, measures: { qwk, humanQwk } }, index) => {
      const y = index * rowHeight + rowHeight / 2 + 2;
      const colour = (qwk.value ?? 1) < LINES.qwk.least ? '#a3261b' : '#2b5d9b';
      return html`<text class="strong" x="${left - 10}" y="${y + 4}" text-anchor="end"
          >${short(name, 20)}</text
        >
        ${
          qwk.low === null || qwk.high === null
            ? null
            : html`<line
                x1="${px(at(qwk.low))}"
                x2="${px(at(qwk.high))}"
                y1="${y}"
                y2="${y}"
                stroke="${colour}"
                stroke-width="2"
              />`
        }
        ${
          humanQwk.value === null
            ? null
            : html`<path
                d="M${px(at(humanQwk.value))} ${y - 5} l5 5 l-5 5 l-5 -5 z"
                fill="#fff"
                stroke="#1d2733"
              />`
        }
        ${qwk.value === null ? null : html`<circle cx="${px(at(qwk.value))}" cy="${y}" r="4.5" fill="${colour}" />`}`;
    })}
  </svg>`;
};

const short = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/**
 * Human marks on the vertical axis, machine marks on the horizontal one, in tenths of max_marks; equal marks lie on the
 * diagonal.
 */
export const confusionPlot = ({ confusion }: Report): Html => {
  const cell = 32;
  const left = 52;
  const most = Math.max(1, ...confusion.flat());
  const side = confusion.length * cell;
  return html`<svg
    viewBox="0 0 ${left + side + 6} ${side + 46}"
    width="${left + side + 6}"
    role="img"
    aria-label="Human and machine marks in tenths of the range"
  >
    ${confusion.map((row, human) =>
      row.map((count, machine) => {
        const x = left + machine * cell;
        const y = (confusion.length - 1 - human) * cell + 2;
        const shade = count === 0 ? 0 : 0.18 + 0.82 * Math.sqrt(count / most);
        const fill = human === machine ? '#1c6b3a' : '#2b5d9b';
        return html`<rect
            x="${x}"
            y="${y}"
            width="${cell - 1}"
            height="${cell - 1}"
            fill="${count === 0 ? '#f5f7fa' : fill}"
            fill-opacity="${count === 0 ? 1 : px2(shade)}"
            stroke="${human === machine ? '#8fb79f' : 'none'}"
          />
          ${count === 0 ? null : html`<text x="${x + cell / 2}" y="${y + cell / 2 + 4}" text-anchor="middle" style="fill:${shade > 0.55 ? '#fff' : '#1d2733'}">${count}</text>`}`;
      }),
    )}
    ${confusion.map(
      (_, tenth) =>
        html`<text x="${left + tenth * cell + cell / 2}" y="${side + 17}" text-anchor="middle"
            >${tenth * 10}</text
          >
          <text x="${left - 6}" y="${(confusion.length - 1 - tenth) * cell + cell / 2 + 5}" text-anchor="end"
            >${tenth * 10}</text
          >`,
    )}
    <text class="strong" x="${left + side / 2}" y="${side + 38}" text-anchor="middle">
      machine, % of max marks
    </text>
    <text class="strong" transform="translate(13 ${side / 2}) rotate(-90)" text-anchor="middle">
      human, % of max marks
    </text>
  </svg>`;
};

const px2 = (value: number): string => String(Math.round(value * 100) / 100);

/** Share of agreeing marks by confidence; on the diagonal the two are equal. */
export const calibrationPlot = ({ calibration }: Report): Html => {
  const side = 300;
  const left = 46;
  const x = (value: number): number => left + value * side;
  const y = (value: number): number => 6 + (1 - value) * side;
  const most = Math.max(1, ...calibration.bins.map(({ n }) => n));
  const known = calibration.bins.filter(({ n }) => n > 0);
  const curve = calibration.table.map(([raw, value]) => `${px(x(raw))},${px(y(value))}`).join(' ');
  return html`<svg
    viewBox="0 0 ${left + side + 12} ${side + 50}"
    width="${left + side + 12}"
    role="img"
    aria-label="Confidence and agreement"
  >
    ${[0, 0.2, 0.4, 0.6, 0.8, 1].map(
      (tick) =>
        html`<line x1="${px(x(tick))}" x2="${px(x(tick))}" y1="6" y2="${px(y(0))}" stroke="#e6eaef" />
          <line x1="${left}" x2="${px(x(1))}" y1="${px(y(tick))}" y2="${px(y(tick))}" stroke="#e6eaef" />
          <text x="${px(x(tick))}" y="${side + 22}" text-anchor="middle">${decimal(tick, 1)}</text>
          <text x="${left - 6}" y="${px(y(tick) + 4)}" text-anchor="end">${decimal(tick, 1)}</text>`,
    )}
    ${known.map(
      ({ from, n }) =>
        html`<rect
            x="${px(x(from) + 2)}"
            width="${px(side / 10 - 4)}"
            y="${px(y((n / most) * 0.2))}"
            height="${px((n / most) * 0.2 * side)}"
            fill="#d9dfe6"
          />
          <text x="${px(x(from) + side / 20)}" y="${px(y((n / most) * 0.2) - 3)}" text-anchor="middle"
            >${n}</text
          >`,
    )}
    <line
      x1="${px(x(0))}"
      y1="${px(y(0))}"
      x2="${px(x(1))}"
      y2="${px(y(1))}"
      stroke="#8a96a3"
      stroke-dasharray="4 3"
    />
    ${curve === '' ? null : html`<polyline points="${curve}" fill="none" stroke="#2b5d9b" stroke-width="1.5" />`}
    ${known.map(
      ({ meanConfidence, adjacent, exact }) =>
        html`<circle cx="${px(x(meanConfidence ?? 0))}" cy="${px(y(adjacent ?? 0))}" r="5" fill="#2b5d9b" />
          <circle
            cx="${px(x(meanConfidence ?? 0))}"
            cy="${px(y(exact ?? 0))}"
            r="3"
            fill="#fff"
            stroke="#2b5d9b"
            stroke-width="1.5"
          />`,
    )}
    <text class="strong" x="${left + side / 2}" y="${side + 43}" text-anchor="middle">
      confidence that the grader states
    </text>
    <text class="strong" transform="translate(12 ${side / 2 + 6}) rotate(-90)" text-anchor="middle">
      share that agrees with the human
    </text>
  </svg>`;
};
