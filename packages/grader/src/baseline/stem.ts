const SUFFIXES = [
  ['ations', 'at'],
  ['ation', 'at'],
  ['ating', 'at'],
  ['ated', 'at'],
  ['ates', 'at'],
  ['ate', 'at'],
  ['ities', ''],
  ['ity', ''],
  ['iness', ''],
  ['ness', ''],
  ['ments', ''],
  ['ment', ''],
  ['ies', ''],
  ['ied', ''],
  ['ing', ''],
  ['ed', ''],
  ['ly', ''],
  ['es', ''],
  ['s', ''],
  ['e', ''],
  ['y', ''],
] as const;

/** Removes English endings so that forms of a word compare equal. Stems need not be words. */
export function stem(word: string): string {
  for (const [suffix, put] of SUFFIXES) {
    if (word.endsWith(suffix) && word.length - suffix.length + put.length >= 3) {
      const rest = word.slice(0, -suffix.length) + put;
      return /([b-df-hj-np-tv-z])\1$/u.test(rest) && rest.length > 3 ? rest.slice(0, -1) : rest;
    }
  }
  return word;
}
