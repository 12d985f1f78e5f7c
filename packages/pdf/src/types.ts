import { uploadRejections } from '@evaluation/rest-contract/upload-rejections';
import { Ink, MOST_INK } from '@evaluation/rules/marked-page';
import * as z from 'zod/v4';

// These schemas define the types and check the messages between parent and child. The parent parses the child's
// messages, because a child that read a hostile file may send anything.

/** Pixels of the longer side of a page image, 134 dpi on A4, or of its parts. A smaller scan is not enlarged. */
export const PAGE_LONG_SIDE = 1568;

/** Fractions of the viewed picture, origin top left, y down. */
export const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Box = z.infer<typeof Box>;

/**
 * `clean`: no writing is on the page, and it is not read. `doubtful`: something is on it that may be faint writing.
 * `not_drawn`: a picture or annotation of the page gave no pixels, or the page could not be read; the image shows what
 * could be drawn, or is white.
 */
export const PageState = z.enum(['written', 'doubtful', 'clean', 'not_drawn']);
export type PageState = z.infer<typeof PageState>;

/** A part of the image of a long page, in pixels of the image. */
export const PagePart = z.object({ file: z.string(), top: z.int().min(0), height: z.int().min(1) });
export type PagePart = z.infer<typeof PagePart>;

export const PageImage = z.object({
  /** From 1. */
  page: z.int().min(1),
  file: z.string(),
  /** Pixels of the image, upright (/Rotate and deskew applied). */
  width: z.int().min(1),
  height: z.int().min(1),
  /** Of a page longer than two widths, which is read part by part, from top to bottom; else []. */
  parts: z.array(PagePart),
  /**
   * Pixels that the viewed page covers at the scale of the image. Deskewing enlarges the canvas so that no corner is
   * cut; without it they equal width and height.
   */
  pageWidth: z.number().positive(),
  pageHeight: z.number().positive(),
  /** Size of the viewed page in points. */
  points: z.object({ width: z.number().positive(), height: z.number().positive() }),
  /**
   * Picture of the page for the checked copy: the scanner's JPEG from which `file` was made, or else a rendering of
   * the page before its deskew. For a page without deskew that rendering is `file`. `rotation` (clockwise) turns the
   * picture upright.
   */
  picture: z.object({ file: z.string(), rotation: z.literal([0, 90, 180, 270]) }),
  /**
   * Ink of the viewed page without ruled lines, one byte for the share of each cell of four by four pixels; null when
   * unknown.
   */
  ink: z.object({ file: z.string(), width: z.int().min(1), height: z.int().min(1) }).nullable(),
  /** The image is written in any case. */
  state: PageState,
  /** False when the image shows no writing, as of a page of which nothing could be drawn. */
  showsInk: z.boolean(),
  /** Degrees by which the page content leaned clockwise. The image is corrected; 0 when it was not turned. */
  skewDegrees: z.number(),
});
export type PageImage = z.infer<typeof PageImage>;

/** What the drawing needs of a page image. */
export const DrawnPage = PageImage.pick({
  page: true,
  width: true,
  height: true,
  pageWidth: true,
  pageHeight: true,
  points: true,
  skewDegrees: true,
  picture: true,
  state: true,
});
export type DrawnPage = z.infer<typeof DrawnPage>;

export const Inspection = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    pages: z.int().min(1),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    isRepaired: z.boolean(),
  }),
  z.object({
    ok: z.literal(false),
    /** Sentence for the client that states how to correct the file. */
    reason: z.string(),
    code: z.enum(uploadRejections),
    page: z.int().min(1).optional(),
  }),
]);
export type Inspection = z.infer<typeof Inspection>;

export const Annotation = z.object({
  page: z.int().min(1),
  kind: z.enum(['tick', 'cross', 'mark', 'comment']),
  /** Fractions of the page image given to the model. */
  box: Box,
  /** Of a 'mark': text such as "Q3  4.5/6", drawn in the margin at the height of its box. */
  text: z.string(),
});
export type Annotation = z.infer<typeof Annotation>;

export const CheckedCopyPlan = z.object({
  examTitle: z.string(),
  /** `name` is null on a blind exam, and no name is printed. */
  candidate: z.object({
    externalId: z.string(),
    name: z.string().nullable(),
    rollNumber: z.string().nullable(),
  }),
  totals: z.object({ awarded: z.number(), max: z.number(), percentage: z.number().nullable() }),
  questions: z
    .array(
      z.object({
        label: z.string(),
        section: z.string().nullable(),
        awarded: z.number().nullable(),
        max: z.number(),
        status: z.enum(['graded', 'failed', 'pending', 'cancelled', 'not_answered']),
        /** The teacher's; printed before the feedback. */
        comment: z.string().nullable(),
        feedback: z.string().nullable(),
        criteria: z.array(
          z.object({
            name: z.string(),
            awarded: z.number().nullable(),
            max: z.number().nullable(),
            reason: z.string().nullable(),
          }),
        ),
      }),
    )
    .max(1000),
  annotations: z.array(Annotation).max(20_000),
  /** The teacher's strokes on the viewed pages. */
  ink: z.array(Ink).max(MOST_INK),
});
export type CheckedCopyPlan = z.infer<typeof CheckedCopyPlan>;

/**
 * Where the picture of a page lies in the file of the checked copy: the JPEG that the grader's picture was made from,
 * byte for byte, so that a person can be shown the page as it was graded.
 */
export const PagePicture = z.object({
  offset: z.int().positive(),
  length: z.int().positive(),
  /** Pixels of the JPEG. */
  width: z.int().positive(),
  height: z.int().positive(),
  /** Clockwise; turns the JPEG upright. */
  rotation: z.literal([0, 90, 180, 270]),
  /** False if something of the page gave no pixels, so that the picture must not be taken for the page. */
  drawn: z.boolean(),
});
export type PagePicture = z.infer<typeof PagePicture>;

export const CheckedCopy = z.object({
  sizeBytes: z.int().positive(),
  /** With the summary. */
  pages: z.int().positive(),
  /** Of the pages of the upload, in their order. */
  pictures: z.array(PagePicture),
});
export type CheckedCopy = z.infer<typeof CheckedCopy>;

/**
 * The PDF could not be processed. `unreadable`: the file is broken or crashed its reader; `timeout`: the time limit
 * passed; `out_of_memory`: the child's memory limit was exceeded.
 */
export class PdfUnreadable extends Error {
  readonly code: 'unreadable' | 'timeout' | 'out_of_memory';

  constructor(code: PdfUnreadable['code'], message: string) {
    super(message);
    this.name = 'PdfUnreadable';
    this.code = code;
  }
}
