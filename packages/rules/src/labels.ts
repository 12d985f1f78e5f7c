/**
 * Labels, section names and criterion names are unique and matched ignoring case, and as a person sees them: white space
 * around them and the way an accent is encoded make no difference.
 */
export const labelKey = (label: string): string => label.trim().normalize('NFC').toLowerCase();
