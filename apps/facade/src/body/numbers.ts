/*
 * The grammar of a JSON number, byte by byte: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
 */

const [MINUS, ZERO, INTEGER, POINT, FRACTION, E, SIGN, EXPONENT] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
type NumberState = number;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

export const beginNumber = (byte: number): NumberState =>
  byte === 0x2d ? MINUS : byte === 0x30 ? ZERO : INTEGER;

/** @returns the state after the byte; -1 if the number ended before it, in which case call `isNumberWhole` */
export const nextInNumber = (state: NumberState, byte: number): NumberState => {
  switch (state) {
    case MINUS:
      return byte === 0x30 ? ZERO : isDigit(byte) ? INTEGER : -1;
    case INTEGER:
      if (isDigit(byte)) return INTEGER;
      return afterInteger(byte);
    case ZERO:
      return afterInteger(byte);
    case POINT:
    case FRACTION:
      if (isDigit(byte)) return FRACTION;
      return state === FRACTION && isExponent(byte) ? E : -1;
    case E:
      if (byte === 0x2b || byte === 0x2d) return SIGN;
      return isDigit(byte) ? EXPONENT : -1;
    default:
      return isDigit(byte) ? EXPONENT : -1;
  }
};

export const isNumberWhole = (state: NumberState): boolean =>
  state === ZERO || state === INTEGER || state === FRACTION || state === EXPONENT;

const isExponent = (byte: number): boolean => byte === 0x65 || byte === 0x45;
const afterInteger = (byte: number): NumberState => (byte === 0x2e ? POINT : isExponent(byte) ? E : -1);
