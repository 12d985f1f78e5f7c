import type { CallOptions, Turn } from '../grader.ts';
import { turnedJpeg } from '../turn.ts';
import { cleanLines } from './cleanLines.ts';
import type { Ocr, OcrLine, Picture } from './ocr.ts';
import { orientationOf } from './orientation.ts';

/** OCR result of a page that was turned by `turn`; boxes are those of the turned page. */
interface Writing {
  lines: OcrLine[];
  /** Mean confidence of the lines, weighted by their length; 0 without lines. */
  legibility: number;
  turn: Turn;
}

/**
 * Legibility above which a page counts as upright. On sample booklets, upright pages read at 0.79 to 0.92, pages turned
 * sideways or upside down at 0.20 to 0.66. Poor handwriting also reads below this value; it then costs one more try.
 */
const GOOD = 0.7;
/** Lowest legibility of a turned reading that may replace the first. */
const FAIR = 0.6;
/** Least gain in legibility of a turned reading over the first. */
const BETTER = 0.15;

/** Share of the letters in standing lines from which the page itself stands. */
const LEAST_STANDING = 0.5;
/** A line is standing if it is this much taller than wide. Fewer letters than three may be so in an upright line. */
const STANDING = { ratio: 1.5, letters: 3 };
/** Share of the legible letters of standing lines that the turned page must have. */
const LEAST_KEPT = 0.8;

/**
 * Reads a page in the orientation of the scan. If the result is poor, or its lines stand, tries a strip of the page in
 * the orientations that its ink allows, and reads the whole page again in the best one if that is clearly better. Costs
 * at most two strips and one page of extra OCR.
 */
export const readAnyWayUp = async (picture: Picture, ocr: Ocr, options: CallOptions): Promise<Writing> => {
  const read = async (part: Picture, turn: Turn): Promise<Writing> => {
    const lines = cleanLines(await ocr.read(await turnedPicture(part, turn), options));
    return { lines, legibility: legibilityOf(lines), turn };
  };
  const asScanned = await read(picture, 0);
  const isStanding = standingShare(asScanned.lines, picture) > LEAST_STANDING;
  if (asScanned.legibility >= GOOD && !isStanding) return asScanned;
  // The reader lays standing lines on their side: their words may be right, but not their order.
  const first = isStanding ? { ...asScanned, legibility: 0 } : asScanned;
  // OCR has read the picture, so it is an image; if it cannot be cropped, keep the first reading.
  const orientation = await orientationOf(picture.jpeg).catch(() => null);
  if (orientation === null) return asScanned;
  let best: Writing | null = null;
  for (const turn of orientation.sideways ? ([90, 270] as const) : ([180] as const)) {
    const tried = await read(orientation.strip, turn);
    if (isBetter(tried, best ?? first)) best = tried;
  }
  if (best === null) return asScanned;
  const turned = await read(picture, best.turn);
  const least = amount(asScanned) * (isStanding ? LEAST_KEPT : 1);
  return isBetter(turned, first) && amount(turned) > least ? turned : asScanned;
};

const isBetter = (candidate: Writing, than: Writing): boolean =>
  candidate.legibility >= FAIR && candidate.legibility >= than.legibility + (than.turn === 0 ? BETTER : 0);

/** Letters weighted by legibility, so that a short text of high confidence does not outweigh a page. */
const amount = ({ lines, legibility }: Writing): number => lettersOf(lines) * legibility;

const standingShare = (lines: readonly OcrLine[], { width, height }: Picture): number => {
  const standing = lines.filter(
    ({ text, box }) =>
      text.length >= STANDING.letters && box.height * height > STANDING.ratio * box.width * width,
  );
  return lettersOf(standing) / Math.max(1, lettersOf(lines));
};

const lettersOf = (lines: readonly OcrLine[]): number =>
  lines.reduce((sum, { text }) => sum + text.length, 0);

const legibilityOf = (lines: readonly OcrLine[]): number => {
  const letters = lettersOf(lines);
  const weighted = lines.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return letters === 0 ? 0 : Math.round((weighted / letters) * 100) / 100;
};

const turnedPicture = async ({ jpeg, width, height, paper }: Picture, turn: Turn): Promise<Picture> => {
  const isUpright = turn === 0 || turn === 180;
  const size = isUpright ? { width, height } : { width: height, height: width };
  return { jpeg: await turnedJpeg(jpeg, turn), paper, ...size };
};
