/** A part of a text; `isQuoted` if a mark rests on it. */
interface Part {
  text: string;
  isQuoted: boolean;
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/**
 * Splits a text at a quotation. Spaces, case and the form of quotation marks may differ, and "…" stands for omitted
 * words.
 * @returns the whole text as one part if the quotation does not occur
 */
export const partsOf = (text: string, quotation: string | null): Part[] => {
  const pieces = (quotation ?? '')
    .split(/…|\.{3,}/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
  const parts: Part[] = [];
  let rest = text;
  for (const piece of pieces) {
    const words = piece.split(/\s+/).map((word) => escape(word).replace(/['"‘’“”]/g, `['"‘’“”]`));
    const found = new RegExp(words.join(String.raw`\s+`), 'iu').exec(rest);
    if (found === null) return [{ text, isQuoted: false }];
    parts.push({ text: rest.slice(0, found.index), isQuoted: false }, { text: found[0], isQuoted: true });
    rest = rest.slice(found.index + found[0].length);
  }
  return [...parts, { text: rest, isQuoted: false }].filter((part) => part.text !== '');
};
