import type { CallOptions } from '../grader.ts';
import { turnedJpeg, type Turn } from '../turn.ts';
import { cleanLines } from './cleanLines.ts';
import type { Ocr, OcrLine, Picture } from './ocr.ts';
import { lieOf } from './orientation.ts';

/** What OCR reads of a page that was turned by `turn`; boxes are those of the turned page. */
export interface Writing {
  lines: OcrLine[];
  /** Mean of the engine's confidence in each line, by the line's length; 0 when there are no lines. */
  legibility: number;
  turn: Turn;
}

/**
 * Writing that lies on a side or on its head reads as 0.20 to 0.66 on the sample booklets, upright as 0.79 to 0.92. Poor
 * handwriting stays below this as well and is tried another way up, and no more.
 */
const GOOD = 0.7;
/** Nothing that reads worse is taken for the right way up. */
const FAIR = 0.6;
/** A way up is taken for another only where it reads clearly better. */
const BETTER = 0.15;

/**
 * Reads a page as it lies; one that reads poorly is tried, by a strip of it, the ways up that its ink allows, and read
 * once more where one of them is clearly better. At most two strips and one page of OCR more; a page that reads well
 * costs nothing more.
 */
export async function readAnyWayUp(picture: Picture, ocr: Ocr, options: CallOptions): Promise<Writing> {
  const read = async (part: Picture, turn: Turn): Promise<Writing> => {
    const lines = cleanLines(await ocr.read(await turnedPicture(part, turn), options));
    return { lines, legibility: legibilityOf(lines), turn };
  };
  const asItLies = await read(picture, 0);
  if (asItLies.legibility >= GOOD) return asItLies;
  // OCR has read it, so it is an image; one too odd to be cut up is left as it lies.
  const lie = await lieOf(picture.jpeg).catch(() => null);
  if (lie === null) return asItLies;
  let best: Writing | null = null;
  for (const turn of lie.sideways ? ([90, 270] as const) : ([180] as const)) {
    const tried = await read(lie.strip, turn);
    if (isBetter(tried, best ?? asItLies)) best = tried;
  }
  if (best === null) return asItLies;
  const turned = await read(picture, best.turn);
  return isBetter(turned, asItLies) && amount(turned) > amount(asItLies) ? turned : asItLies;
}

const isBetter = (candidate: Writing, than: Writing): boolean =>
  candidate.legibility >= FAIR && candidate.legibility >= than.legibility + (than.turn === 0 ? BETTER : 0);

/** Letters, as far as they can be believed: a scrap that happens to read well does not outweigh a page. */
const amount = ({ lines, legibility }: Writing): number => lettersOf(lines) * legibility;

const lettersOf = (lines: readonly OcrLine[]): number =>
  lines.reduce((sum, { text }) => sum + text.length, 0);

function legibilityOf(lines: readonly OcrLine[]): number {
  const letters = lettersOf(lines);
  const weighted = lines.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return letters === 0 ? 0 : Math.round((weighted / letters) * 100) / 100;
}

async function turnedPicture({ jpeg, width, height }: Picture, turn: Turn): Promise<Picture> {
  const isUpright = turn === 0 || turn === 180;
  const size = isUpright ? { width, height } : { width: height, height: width };
  return { jpeg: await turnedJpeg(jpeg, turn), ...size };
}
