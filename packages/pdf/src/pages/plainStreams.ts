/** JPEG streams of a file whose dictionaries contain only entries that do not change how the JPEG is painted. */
interface PlainStreams {
  /** True if `jpeg` is the data of such a stream, and of no stream with another dictionary. */
  includes: (jpeg: Buffer) => boolean;
}

/** Longest dictionary of a scanner's picture that is read; a longer one is not plain. */
const LONGEST_DICTIONARY = 2048;
const NUMBER = String.raw`-?[\d.]+`;
const REFERENCE = String.raw`\d+\s+\d+\s+R\b`;
const NAME = String.raw`/[A-Za-z][A-Za-z0-9.+-]*`;
/**
 * A whole picture dictionary. An entry that is not listed here is refused in any spelling, so that masks, `/Decode`,
 * `/DecodeParms` (with `/ColorTransform`), `/Alternates` and escaped names are drawn by PDFium.
 */
const PLAIN_DICTIONARY = new RegExp(
  String.raw`^\s*<<(?:\s*(?:` +
    [
      String.raw`/Type\s*/XObject`,
      String.raw`/Subtype\s*/Image`,
      String.raw`/(?:Width|Height|BitsPerComponent)\s+${NUMBER}`,
      String.raw`/Length\s+(?:${REFERENCE}|${NUMBER})`,
      String.raw`/Filter\s*(?:/DCTDecode|\[\s*/DCTDecode\s*\])`,
      String.raw`/ColorSpace\s*(?:/DeviceRGB|/DeviceGray|${REFERENCE}|\[\s*/ICCBased\s+${REFERENCE}\s*\])`,
      String.raw`/Interpolate\s+(?:true|false)`,
      String.raw`/Name\s*${NAME}`,
    ].join('|') +
    String.raw`))*\s*>>\s*$`,
  'u',
);

/**
 * Finds the JPEG streams of a file by their first bytes. Streams with a picture are never inside a compressed object,
 * so the dictionary stands in front of the data. In an encrypted file nothing is found and each page is rendered.
 */
export const plainStreams = (file: Buffer): PlainStreams => {
  const found: { start: number; isPlain: boolean }[] = [];
  for (let at = file.indexOf('stream'); at !== -1; at = file.indexOf('stream', at + 6)) {
    const start = at + (file[at + 6] === 0x0d && file[at + 7] === 0x0a ? 8 : 7);
    if (file[start] !== 0xff || file[start + 1] !== 0xd8) continue;
    const before = file.toString('latin1', Math.max(0, at - LONGEST_DICTIONARY), at);
    const object = before.lastIndexOf(' obj');
    found.push({ start, isPlain: object !== -1 && PLAIN_DICTIONARY.test(before.slice(object + 4)) });
  }
  return {
    includes: (jpeg) => {
      if (jpeg.length < 4) return false;
      const same = found.filter(({ start }) => file.subarray(start, start + jpeg.length).equals(jpeg));
      return same.length > 0 && same.every(({ isPlain }) => isPlain);
    },
  };
};
