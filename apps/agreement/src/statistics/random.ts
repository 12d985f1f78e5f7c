/** Uniform in [0, 1). */
export type Random = () => number;

/** A generator that a name starts (32-bit FNV-1a, then mulberry32): the same name draws the same numbers everywhere. */
export const randomFrom = (name: string): Random => {
  let state = 0x811c9dc5;
  for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
