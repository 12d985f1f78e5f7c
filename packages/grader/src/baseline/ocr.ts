/**
 * Offline reading of print and handwriting (packages/reader).
 *
 * State: one engine for the process (a child process of 450 to 700 MB). It starts with the first page and ends when the
 * last handle is closed; pages wait their turn. An abort, a page over its time limit or a failed page ends the child,
 * because a running page cannot be stopped; the next page starts a new one. Nothing is written to disk.
 */
import { startReader, type Reader } from '@evaluation/reader';
import { createTurns } from '@evaluation/platform/turns';
import { clampBox } from '../box.ts';
import type { Box, CallOptions } from '../grader.ts';
import { GraderFailure } from '../grader.ts';
import { plainText } from '../plainText.ts';
import { orAbort, withinDeadline } from '../timeLimit.ts';

export interface OcrLine {
  text: string;
  box: Box;
  /** 0..1 */
  confidence: number;
  /** Its words from left to right. */
  words: { text: string; read?: string; box: Box; confidence: number }[];
}

export interface Picture {
  jpeg: Buffer;
  width: number;
  height: number;
  /** Texts of the exam (packages/reader, lexicon.ts). */
  paper?: readonly string[] | undefined;
}

export interface Ocr {
  /**
   * Lines, top to bottom. Rejects like withinDeadline; with a permanent GraderFailure if the picture cannot be read.
   */
  read(picture: Picture, options: CallOptions): Promise<OcrLine[]>;
  close(): Promise<void>;
}

/** A page takes 1–5 s of processor time; the limit ends a page that hangs. */
const PAGE_LIMIT_MS = 60_000;

const turns = createTurns({ places: 1 });
let handles = 0;
let engine: Promise<Reader> | null = null;

/** Opens a handle on the engine of the process. Starts nothing before the first page. */
export const openOcr = (): Ocr => {
  handles += 1;
  const closed = new AbortController();
  return {
    async read(picture, { signal, deadline }) {
      const whileOpen = AbortSignal.any([signal, closed.signal]);
      return await withinDeadline({ signal: whileOpen, deadline }, async (limited) => {
        const release = await turns.acquire('engine', { signal: limited });
        try {
          return await recognize(picture, limited);
        } finally {
          release();
        }
      });
    },
    async close() {
      if (closed.signal.aborted) return;
      closed.abort(new GraderFailure('permanent', 'the grader was closed'));
      handles -= 1;
      if (handles === 0) endEngine();
    },
  };
};

const recognize = async ({ jpeg, paper = [] }: Picture, signal: AbortSignal): Promise<OcrLine[]> => {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PAGE_LIMIT_MS)]);
  try {
    engine ??= startReader();
    const reader = await orAbort(engine, limit);
    const lines = await orAbort(reader.read(jpeg, paper), limit);
    return lines.flatMap(({ text, box, confidence, words }) => {
      const clean = plainText(text, 2000);
      if (!/[\p{L}\p{N}]/u.test(clean)) return [];
      const boxed = words.map((word) => ({
        ...word,
        text: plainText(word.text, 2000),
        ...(word.read === undefined ? {} : { read: plainText(word.read, 2000) }),
        box: clampBox(word.box),
      }));
      return [
        { text: clean, box: clampBox(box), confidence: Math.min(Math.max(confidence, 0), 1), words: boxed },
      ];
    });
  } catch (error) {
    endEngine();
    signal.throwIfAborted();
    if (error instanceof GraderFailure) throw error;
    throw new GraderFailure('permanent', 'a page image could not be read by OCR');
  }
};

/** Ends the child as soon as it can be ended. Not awaited, because a child that hangs while it starts never settles. */
const endEngine = (): void => {
  const ending = engine;
  engine = null;
  ending?.then(
    (reader) => reader.end(),
    // The engine never started.
    () => {},
  );
};
