/* Lists in one cell of a table of questions: `A: One | B: Two`, `Definition: 1 | Example: 1.5`. */

type Pair = [name: string, value: string];

const partsOf = (cell: string, separator: RegExp): string[] =>
  cell.split(separator).filter((part) => part.trim() !== '');

/**
 * Options. A bar separates only before a further label with its colon, so the text of an option may have bars.
 * @returns null if a part has no label
 */
export const optionsIn = (cell: string): Pair[] | null => {
  const pairs = partsOf(cell, /\n|\|(?=\s*[^\s:|]{1,16}\s*:)/).map((part): Pair | null => {
    const at = part.indexOf(':');
    const label = part.slice(0, at).trim();
    return at < 1 || label === '' ? null : [label, part.slice(at + 1).trim()];
  });
  return pairs.every((pair) => pair !== null) ? pairs : null;
};

/**
 * Criteria. Marks stand at the end of a part, so the name of a criterion may have colons and bars: `Ohm: V = |I|R: 2`.
 * @returns null if a part has no name or no marks, or if a bar with white space around it separates nothing
 */
export const criteriaIn = (cell: string): Pair[] | null => {
  const pairs = partsOf(cell, /\n|(?<=:\s*[\d.,]+\s*)\|/).map((part): Pair | null => {
    const at = part.lastIndexOf(':');
    const name = part.slice(0, at).trim();
    return at < 1 || name === '' || /:[^|]*\s\|\s/.test(name) ? null : [name, part.slice(at + 1).trim()];
  });
  return pairs.every((pair) => pair !== null) ? pairs : null;
};

/** Labels of options, such as `A, C` or `B.`; the sign behind a label is no part of it. */
const labelsIn = (cell: string): string[] =>
  cell
    .split(/[\s,;|]+/)
    .map((label) => label.replace(/^\((.+)\)$/, '$1').replace(/[.)]$/, ''))
    .filter((label) => label !== '');

export interface NamedOption {
  label: string;
  text: string;
}

/**
 * Options that a cell names by their labels or, as one, by its whole text: spreadsheets make `TRUE` of `True`. Capital
 * letters count where two labels differ only by them. A label of no option is given as it is written.
 */
export const optionsNamed = (
  cell: string,
  options: readonly NamedOption[],
): { label: string; isKnown: boolean }[] => {
  const find = (written: string, by: 'label' | 'text'): string | undefined =>
    (
      options.find((option) => option[by] === written) ??
      options.find((option) => option[by].toLowerCase() === written.toLowerCase())
    )?.label;
  const whole = cell === '' ? undefined : (find(cell, 'label') ?? find(cell, 'text'));
  if (whole !== undefined) return [{ label: whole, isKnown: true }];
  return labelsIn(cell).map((written) => {
    const label = find(written, 'label');
    return { label: label ?? written, isKnown: label !== undefined };
  });
};
