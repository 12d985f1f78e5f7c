/** Key for comparing names: without case, outer white space and differences in the encoding of accents. */
export const labelKey = (label: string): string => label.trim().normalize('NFC').toLowerCase();
