/**
 * Restores LaTeX commands that JSON escapes changed. A model that writes "\frac" or "\beta" with one backslash in a
 * JSON string has written a form feed and "rac", or a backspace and "eta".
 */

/** Restores form feeds and backspaces before a letter, which do not occur in prose. */
export const mendLatex = (text: string): string =>
  text.replace(/\f(?=[A-Za-z])/g, '\\f').replace(/[\b](?=[A-Za-z])/g, '\\b');

/** Also restores "\theta", "\nu" and "\rho". Those may be true spacing: compare the result with a known text. */
export const mendQuote = (quote: string): string =>
  mendLatex(quote)
    .replace(/\t(?=[a-z])/g, '\\t')
    .replace(/\n(?=[a-z])/g, '\\n')
    .replace(/\r(?=[a-z])/g, '\\r');

/** Restores a tab before the rest of a command: a value is a number or a word and contains no tab. */
export const mendValue = (value: string): string => mendLatex(value).replace(/\t(?=imes|ext|frac)/g, '\\t');
