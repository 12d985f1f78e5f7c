import * as z from 'zod/v4';

/** A rectangle in fractions of the page image as viewed, 0..1, origin top left. */
export const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Box = z.infer<typeof Box>;

/** A piece of writing on a page. */
export const ReadBlock = z.object({
  /** The question label as written beside the block, e.g. "Q.3" or "2 (a) contd."; null without a label. */
  label: z.string().nullable(),
  /** true if the block continues the answer of the previous block. */
  continues: z.boolean(),
  /** The writing without its label. */
  text: z.string(),
  crossedOut: z.boolean(),
  box: Box,
});
export type ReadBlock = z.infer<typeof ReadBlock>;

/** What was read on one page of a copy. */
export const PageReading = z.object({
  /** 1-based number of the page in the copy. */
  page: z.int(),
  /** 0..1 */
  legibility: z.number(),
  language: z.enum(['en', 'other']),
  blocks: z.array(ReadBlock),
});
export type PageReading = z.infer<typeof PageReading>;

/** Degrees clockwise by which a page has to be turned so that its writing is upright. */
export const Turn = z.literal([0, 90, 180, 270]);
export type Turn = z.infer<typeof Turn>;

/** A page as a reader has seen it. Boxes are those of the page as scanned. */
export const SeenPage = PageReading.extend({
  turn: Turn,
  /** Places of print, and of other ink that is no writing of the candidate. */
  printed: z.array(Box),
  /** Words of the text that were misread and stand for words of the paper, in reading order; absent without any. */
  respelled: z.array(z.object({ read: z.string(), taken: z.string() })).optional(),
});
export type SeenPage = z.infer<typeof SeenPage>;

/** A page as it is recorded, with what its reader left out. Boxes are those of the page turned upright. */
export const RecordedPage = SeenPage.extend({
  /** Regions of ink outside the places of blocks and print, in fractions of the viewed page. */
  unread: z.array(Box),
});
export type RecordedPage = z.infer<typeof RecordedPage>;

/** Below this legibility a teacher has to look at the page. */
export const HARDLY_LEGIBLE = 0.35;
