/**
 * Text from a file that anybody may have written, as it may be shown on a terminal: what would move the cursor, colour the
 * screen or turn the direction of writing is spelt out.
 */
export const printable = (text: string): string =>
  text.replaceAll(
    // Control and format characters, what separates lines, and halves of characters.
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
