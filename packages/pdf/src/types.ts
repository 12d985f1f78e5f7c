import { uploadRejections } from '@evaluation/rest-contract/upload-rejections';
import { z } from 'zod/v4';

// One definition for the types and for what crosses the border to the child process: both ways it is parsed, since
// a child that ate a hostile file may answer anything.

/** Pixels of the longer side of a page image; a smaller scan is not enlarged. 134 dpi on A4. */
export const PAGE_LONG_SIDE = 1568;

/** Fractions of the viewed picture, origin top left, x to the right, y down. */
export const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Box = z.infer<typeof Box>;

export const TextLine = z.object({ text: z.string(), box: Box });
/** A line of the PDF's own text layer; `box` is in fractions of the page image. */
export type TextLine = z.infer<typeof TextLine>;

export const PageImage = z.object({
  /** From 1. */
  page: z.int().min(1),
  /** JPEG in the output folder. */
  file: z.string(),
  /** Pixels of the image, upright as a viewer shows the page (/Rotate and deskew applied). */
  width: z.int().min(1),
  height: z.int().min(1),
  /**
   * Pixels the viewed page covers at the image's scale. Equal to width and height unless the page was deskewed:
   * straightening enlarges the canvas so that no corner is lost.
   */
  pageWidth: z.number().positive(),
  pageHeight: z.number().positive(),
  /** Points of the viewed page; without them a drawing asks the PDF again. */
  points: z.object({ width: z.number(), height: z.number() }).optional(),
  /** No ink was found. Only a flag: the image is there all the same. */
  blank: z.boolean(),
  /** The page or its picture is broken; what could be decoded is in the image (white when nothing could). */
  damaged: z.boolean(),
  /** How far the page content leaned clockwise, already corrected in the image; 0 when it was left alone. */
  skewDegrees: z.number(),
  /** The PDF's text layer; [] when there is none, as in a plain scan. */
  textLines: z.array(TextLine),
  /**
   * The text layer is what a viewer shows. False when any of it is invisible or lies on a picture (a scan with an OCR
   * layer, true or made up): what is written is then what the image shows, and nothing else.
   */
  textIsShown: z.boolean(),
});
export type PageImage = z.infer<typeof PageImage>;

export const Inspection = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    pages: z.int().min(1),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** The file's cross-reference table was damaged, and its pages were found without it. */
    isRepaired: z.boolean(),
  }),
  z.object({
    ok: z.literal(false),
    /** A sentence that tells a person what to do. */
    reason: z.string(),
    code: z.enum(uploadRejections),
    /** The page that is the reason. */
    page: z.int().min(1).optional(),
  }),
]);
export type Inspection = z.infer<typeof Inspection>;

export const Annotation = z.object({
  page: z.int().min(1),
  kind: z.enum(['tick', 'cross', 'mark', 'comment']),
  /** Fractions of the page image handed to the model; of the viewed page where no page image is passed for the page. */
  box: Box,
  /** 'mark': text such as "Q3  4.5/6", drawn in the margin at the height of its box. */
  text: z.string(),
});
export type Annotation = z.infer<typeof Annotation>;

export const CheckedCopyPlan = z.object({
  examTitle: z.string(),
  /** `name` null on a blind exam: then no name is printed anywhere. */
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
        needsReview: z.boolean(),
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
  /** Printed on the summary, for example "Marked by the offline baseline: check every mark." */
  notice: z.string().nullable(),
});
export type CheckedCopyPlan = z.infer<typeof CheckedCopyPlan>;

export const CheckedCopy = z.object({
  sizeBytes: z.int().positive(),
  /** Pages of the checked copy: those of the source, then the summary. */
  pages: z.int().positive(),
});
export type CheckedCopy = z.infer<typeof CheckedCopy>;

/**
 * The PDF cannot be worked on. `unreadable`: it is broken or crashed its reader; `timeout`: it took longer than
 * allowed; `out_of_memory`: it needed more memory than a child process may have.
 */
export class PdfUnreadable extends Error {
  readonly code: 'unreadable' | 'timeout' | 'out_of_memory';

  constructor(code: PdfUnreadable['code'], message: string) {
    super(message);
    this.name = 'PdfUnreadable';
    this.code = code;
  }
}
