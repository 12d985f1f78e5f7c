/** Client metadata of 2 KB can nest a thousand levels; nothing else that the spec permits nests more than ten. */
const MAX_DEPTH = 1100;
/** The largest exam that the spec permits, 2000 candidates with metadata of as many values as fit into 2 KB, has 2.3 million. */
const MAX_VALUES = 3_000_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Looks at the structure of JSON before it is parsed: 20 MB of empty arrays become some hundreds once they are values, and
 * a depth without end exhausts the stack of whoever walks them. 1 to 2 ns a byte; what is no JSON is left to the parser.
 * @returns what no valid request can have; null when the parser may have it
 */
export const excessOf = (body: Uint8Array): 'too_deep' | 'too_many_values' | null => {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    switch (body[at]) {
      case QUOTE:
        at += 1;
        while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        values += 1;
        depth += 1;
        if (depth > MAX_DEPTH) return 'too_deep';
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
      default:
    }
    if (values > MAX_VALUES) return 'too_many_values';
  }
  return null;
};
