import { randomInt } from 'node:crypto';

/** Common words that do not occur in the other lines of the text. */
const CODE_WORDS = [
  'APPLE', 'BRIDGE', 'CANDLE', 'DESERT', 'EAGLE', 'FOREST', 'GARDEN', 'HAMMER', 'ISLAND', 'JACKET', 'KETTLE', 'LEMON',
  'MIRROR', 'NEEDLE', 'ORANGE', 'PENCIL', 'RABBIT', 'SILVER', 'TIGER', 'UMBRELLA', 'VIOLIN', 'WINDOW', 'YELLOW', 'ZEBRA',
]; // prettier-ignore

/** A text of about `characters` characters, with a code word in its first line and another in its last. */
export const longText = (characters: number): { text: string; first: string; last: string } => {
  const [first, last] = twoCodeWords();
  const lines = [`This is the beginning of the text. The first code word is ${first}.`];
  let length = lines[0]?.length ?? 0;
  for (let number = 1; length < characters; number += 1) {
    const line = `Line ${number}: the bus from the harbour passes the market, the school and the old mill, and then it goes back the same way.`;
    lines.push(line);
    length += line.length + 1;
  }
  lines.push(`This is the end of the text. The last code word is ${last}.`);
  return { text: lines.join('\n'), first, last };
};

const twoCodeWords = (): [first: string, last: string] => {
  const at = randomInt(CODE_WORDS.length);
  const other = (at + 1 + randomInt(CODE_WORDS.length - 1)) % CODE_WORDS.length;
  return [CODE_WORDS[at] ?? '', CODE_WORDS[other] ?? ''];
};
