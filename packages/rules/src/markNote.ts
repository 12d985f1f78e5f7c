/** The mark in the margin of a checked copy: `Q3(a)  1.5/3` (docs/architecture.md#checked-copy). */
export const markNote = (label: string, awarded: number, max: number): string =>
  `${/^q/i.test(label) ? label : `Q${label}`}  ${awarded}/${max}`;
