/** Escapes characters that would move a terminal's cursor, change its colours or turn the direction of writing. */
export const printable = (text: string): string =>
  text.replaceAll(
    // Control and format characters, line separators, and lone surrogates.
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
