/** Labels, section names and criterion names are unique and matched ignoring case. */
export const labelKey = (label: string): string => label.toLowerCase();
