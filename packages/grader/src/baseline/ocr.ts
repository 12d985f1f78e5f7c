/**
 * Offline reading of print, and poorly of handwriting, with tesseract.js.
 *
 * State: one engine for the process (about 400 MB and a worker thread). It starts with the first page and ends when the
 * last handle is closed; pages wait their turn. An abort, a page over its time limit or a failed page terminates the
 * thread, because a running page cannot be stopped and a failed WASM instance is unreliable; the next page starts a new
 * thread. The thread ends with the process. Nothing is written to disk.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { createWorker, OEM } from 'tesseract.js';
import type { Worker } from 'tesseract.js';
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
}

export interface Picture {
  jpeg: Buffer;
  width: number;
  height: number;
}

export interface Ocr {
  /**
   * Lines, top to bottom. Rejects like withinDeadline; with a permanent GraderFailure if the picture cannot be read.
   */
  read(picture: Picture, options: CallOptions): Promise<OcrLine[]>;
  close(): Promise<void>;
}

/** A page takes 1–3 s of processor time; the limit ends a page that hangs. */
const PAGE_LIMIT_MS = 60_000;

const languageData = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng')),
  '4.0.0_best_int',
);

const turns = createTurns({ places: 1 });
let handles = 0;
let engine: Promise<Engine> | null = null;

interface Engine {
  worker: Worker;
  crashed: AbortSignal;
}

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

const recognize = async ({ jpeg, width, height }: Picture, signal: AbortSignal): Promise<OcrLine[]> => {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PAGE_LIMIT_MS)]);
  try {
    engine ??= beginEngine();
    const { worker, crashed } = await orAbort(engine, limit);
    const recognized = worker.recognize(jpeg, {}, { text: false, blocks: true });
    const { data } = await orAbort(recognized, AbortSignal.any([limit, crashed]));
    const lines = (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap((each) => each.lines));
    return lines.flatMap(({ text, bbox, confidence }) => {
      const clean = plainText(text, 2000);
      if (!/[\p{L}\p{N}]/u.test(clean)) return [];
      const box = clampBox({
        x: bbox.x0 / width,
        y: bbox.y0 / height,
        width: (bbox.x1 - bbox.x0) / width,
        height: (bbox.y1 - bbox.y0) / height,
      });
      return [{ text: clean, box, confidence: Math.min(Math.max(confidence / 100, 0), 1) }];
    });
  } catch (error) {
    endEngine();
    signal.throwIfAborted();
    if (error instanceof GraderFailure) throw error;
    throw new GraderFailure('permanent', 'a page image could not be read by OCR');
  }
};

const beginEngine = async (): Promise<Engine> => {
  const crashed = new AbortController();
  const failed = Promise.withResolvers<never>();
  const worker = await Promise.race([
    createWorker('eng', OEM.LSTM_ONLY, {
      langPath: languageData,
      gzip: true,
      cacheMethod: 'none',
      // Without a handler the package throws inside an event, which would end the process, and a start that fails
      // half-way would never settle.
      errorHandler: () => failed.reject(new Error('the OCR engine failed')),
    }),
    failed.promise,
  ]);
  // The package does not type its thread. If the thread dies (out of memory), the process continues and pages reject.
  const thread: unknown = Reflect.get(worker, 'worker');
  if (thread instanceof Thread) {
    thread.on('error', () => crashed.abort());
    thread.on('exit', () => crashed.abort());
    // The engine prints remarks about lines that it cannot read; the log of a worker has JSON lines only.
    for (const [from, to] of [
      [thread.stdout, process.stdout],
      [thread.stderr, process.stderr],
    ] as const)
      from.unpipe(to).resume();
  }
  return { worker, crashed: crashed.signal };
};

/**
 * Ends the thread as soon as it can be ended. Not awaited, because an engine that hangs while it starts never settles.
 */
const endEngine = (): void => {
  const ending = engine;
  engine = null;
  ending
    ?.then(({ worker }) => worker.terminate())
    // The engine never started.
    .catch(() => {});
};
