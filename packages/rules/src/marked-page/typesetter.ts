/** Sets lines of one font. Screen and checked copy have different fonts, and break lines by the same rules. */
export abstract class Typesetter {
  /** One line of text of only those characters that can be written. */
  abstract showable(text: string): string;

  /** Width of `text`, which must come from `showable`. */
  abstract width(text: string, size: number): number;

  /** Wraps to lines of at most `width` points and breaks longer words. Text beyond `mostLines` is cut with '…'. */
  wrap(text: string, size: number, width: number, mostLines = Infinity): string[] {
    const lines: string[] = [];
    let line = '';
    for (const word of this.showable(text).split(/ +/)) {
      const joined = line === '' ? word : `${line} ${word}`;
      if (this.width(joined, size) <= width) {
        line = joined;
        continue;
      }
      if (line !== '') lines.push(line);
      line = '';
      for (const character of word) {
        if (line !== '' && this.width(line + character, size) > width) {
          lines.push(line);
          line = '';
        }
        line += character;
      }
      if (lines.length > mostLines) break;
    }
    if (line !== '') lines.push(line);
    if (lines.length <= mostLines) return lines;
    const kept = lines.slice(0, mostLines);
    kept[mostLines - 1] = this.shorten(`${kept[mostLines - 1]}…`, size, width, true);
    return kept;
  }

  shorten(text: string, size: number, width: number, ellipsis = false): string {
    const shown = this.showable(text);
    if (this.width(shown, size) <= width) return shown;
    const characters = [...(ellipsis ? shown.slice(0, -1) : shown)];
    while (characters.length > 1 && this.width(`${characters.join('')}…`, size) > width) characters.pop();
    return `${characters.join('').trimEnd()}…`;
  }
}

export interface Letters {
  regular: Typesetter;
  bold: Typesetter;
}

/** Cuts to `most` characters with '…'. Only the paper is cut; the API returns the whole text. */
export const cut = (text: string, most: number): string => {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).trimEnd()}…`;
};
