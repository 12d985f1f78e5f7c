/**
 * Puts back what JSON made of LaTeX. A model that writes "\frac" or "\beta" into a JSON string with one backslash has
 * written a form feed and "rac", a backspace and "eta": valid JSON, but not what it meant.
 */

/** Form feed and backspace before a letter: nobody writes those in prose, so they are always such a slip. */
export function mendLatex(text: string): string {
  return text.replace(/\f(?=[A-Za-z])/g, '\\f').replace(/[\b](?=[A-Za-z])/g, '\\b');
}

/** The same with "\theta", "\nu" and "\rho", which may as well be true spacing: to be tried where the text is known. */
export function mendQuote(quote: string): string {
  return mendLatex(quote)
    .replace(/\t(?=[a-z])/g, '\\t')
    .replace(/\n(?=[a-z])/g, '\\n')
    .replace(/\r(?=[a-z])/g, '\\r');
}

/** A value is a number or a word: a tab before the rest of a command in it is no spacing. */
export function mendValue(value: string): string {
  return mendLatex(value).replace(/\t(?=imes|ext|frac)/g, '\\t');
}
