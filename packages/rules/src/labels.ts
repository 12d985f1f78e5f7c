/**
 * Key by which labels, section names and criterion names are compared: without case, outer white space and differences
 * in the encoding of accents.
 */
export const labelKey = (label: string): string => label.trim().normalize('NFC').toLowerCase();
