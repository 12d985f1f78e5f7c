/** What stands in the margin of a checked copy beside an answer: `Q3(a)  1.5/3` (docs/architecture.md#checked-copy). */
export const markNote = (label: string, awarded: number, max: number): string =>
  `${/^q/i.test(label) ? label : `Q${label}`}  ${awarded}/${max}`;
