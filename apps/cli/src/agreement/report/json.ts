import type { Report } from '../analysis/analyse.ts';

/** Formats the report as JSON. All keys are converted to snake_case, so the report must not use data as keys. */
export const jsonOf = (report: Report): string => `${JSON.stringify(snake(report), null, 2)}\n`;

const snake = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snake);
  if (typeof value === 'number') return Math.round(value * 1e6) / 1e6;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snake(inner),
    ]),
  );
};
