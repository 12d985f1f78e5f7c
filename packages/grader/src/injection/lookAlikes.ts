/**
 * Letters and brackets of other alphabets that look like ASCII, so that "іgnоrе" in Cyrillic reads as it looks. Only
 * what compatibility normalisation (NFKC) leaves: fullwidth, circled and mathematical letters are folded by that.
 */
const LETTERS: [string, string][] = [
  ['АВЕЅІЈКМНОРСТУХԜ', 'abesijkmhopctyxw'],
  ['авеѕіјкмнорстухԛԝгпи', 'abesijkmhopctyxqwrnu'],
  ['ёєѐһӏԁҽҿ', 'eeehldee'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'abezhikmnoptyx'],
  ['αβγεζηικμνοπρστυχωϲϳ', 'abyeznikuvonpotuxwcj'],
  ['ᴀʙᴄᴅᴇꜰғɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ', 'abcdeffghijklmnopqrstuvwyz'],
  ['ıłøđħŧɑɡɩʟɴƖǀ', 'ilodhtagilnil'],
];
const SIGNS: [string, string][] = [
  ['‹〈⟨❮ᐸ˂＜⧼', '<'],
  ['›〉⟩❯ᐳ˃＞⧽', '>'],
  ['«≪《⟪⋘', '<<'],
  ['»≫》⟫⋙', '>>'],
  ['“”„‟″＂❝❞', '"'],
  ['‘’‚‛′＇ʼ', "'"],
  ['‐‑‒–—―−⸺', '-'],
  ['ー╱⁄∕', '/'],
  ['∣｜│¦', '|'],
];

const AS_SEEN = new Map<string, string>([
  ...LETTERS.flatMap(([from, to]) =>
    [...from].map((letter, index): [string, string] => [letter, (to[index] ?? letter).toLowerCase()]),
  ),
  ...SIGNS.flatMap(([from, to]) => [...from].map((sign): [string, string] => [sign, to])),
  ['💯', '100'],
]);

/** The text with each look-alike replaced by the ASCII that it is taken for. */
export function asSeen(text: string): string {
  // Most answers are plain ASCII and need no walk.
  return text.replace(/[^ -~\s]/gu, (character) => AS_SEEN.get(character) ?? character);
}
