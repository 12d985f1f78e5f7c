import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  PDFRawStream,
  PDFStream,
} from '#pdf-lib';
import type { PDFPage } from '#pdf-lib';

/** Objects of a file that is parsed again; a larger file takes pdf-lib seconds. */
const MOST_OBJECTS = 20_000;
/** A content stream that only places pictures is short. */
const LONGEST_CONTENT = 65_536;

/**
 * True if the content of a page that draws nothing places a picture or form that the file does not have, as after a
 * disk error. PDFium skips it without an error. A page that also draws something else is not looked at.
 * @param page from 1
 */
export const placesMissingObject = async (bytes: Buffer, page: number): Promise<boolean> => {
  if (countObjects(bytes) > MOST_OBJECTS) return false;
  try {
    const document = await PDFDocument.load(bytes, { updateMetadata: false, ignoreEncryption: true });
    const found = document.getPages()[page - 1];
    return found !== undefined && namesPlaced(found).some((name) => !hasObject(found, name));
  } catch {
    return false;
  }
};

const countObjects = (bytes: Buffer): number => {
  let count = 0;
  for (let at = bytes.indexOf(' obj'); at !== -1 && count <= MOST_OBJECTS; at = bytes.indexOf(' obj', at + 4))
    count++;
  return count;
};

const namesPlaced = ({ node }: PDFPage): string[] => {
  const contents = node.Contents();
  const streams =
    contents instanceof PDFArray ? contents.asArray().map((one) => node.context.lookup(one)) : [contents];
  const text = streams.map((stream) => (stream instanceof PDFStream ? contentOf(stream) : '')).join('\n');
  return [...text.matchAll(/\/([^\s/[\]<>(){}%]+)\s+Do\b/gu)].map(([, name]) => name!);
};

const contentOf = (stream: PDFStream): string => {
  const bytes =
    stream instanceof PDFRawStream
      ? decodePDFRawStream(stream).getBytes(LONGEST_CONTENT)
      : stream.getContents();
  return Buffer.from(bytes.subarray(0, LONGEST_CONTENT)).toString('latin1');
};

const hasObject = ({ node }: PDFPage, name: string): boolean => {
  const objects = node.Resources()?.lookupMaybe(PDFName.of('XObject'), PDFDict);
  return objects?.lookup(PDFName.of(name)) instanceof PDFStream;
};
