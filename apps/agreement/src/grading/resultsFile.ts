/**
 * The judgements made so far, one JSON line each, appended the moment they are known: a run that dies at any point
 * loses only the answers that were at the grader. A last line that was torn is left out and its answer graded again.
 * Numbers and reasons only: no answer, no feedback.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createReadStream } from 'node:fs';
import * as z from 'zod/v4';
import { AgreementFailure } from '../failure.ts';

const Usage = z.object({
  calls: z.number(),
  input_tokens: z.number(),
  cached_input_tokens: z.number(),
  output_tokens: z.number(),
  duration_ms: z.number(),
});

const Stored = z.object({
  key: z.string(),
  line: z.number(),
  question_id: z.string(),
  kind: z.string(),
  turn: z.number(),
  awarded: z.number(),
  /** As it was shown. */
  confidence: z.number(),
  /** Before any table; what a table is measured with. */
  raw_confidence: z.number(),
  /** Kept below the review line whatever the table says. */
  held: z.boolean(),
  review_reasons: z.array(z.string()),
  prompt_versions: z.array(z.string()),
  usage: Usage,
});
export type Stored = z.infer<typeof Stored>;

export interface ResultsFile {
  get(key: string): Stored | undefined;
  /** Resolves when the line is with the operating system. */
  add(result: Stored): Promise<void>;
  close(): Promise<void>;
}

/** @throws AgreementFailure when the file cannot be written, or holds something else than results */
export const openResults = async (path: string): Promise<ResultsFile> => {
  const known = new Map<string, Stored>();
  const file = await open(path, 'a+').catch((error: unknown) => {
    throw new AgreementFailure(`${path} cannot be written: ${error instanceof Error ? error.message : ''}`);
  });
  try {
    await load(path, known);
    await mendTail(file);
  } catch (error) {
    await file.close();
    throw error;
  }
  let writing = Promise.resolve();
  return {
    get: (key) => known.get(key),
    async add(result) {
      // The baseline is asked again each time; a file that says the same twice would only grow.
      const before = known.get(result.key);
      known.set(result.key, result);
      if (before !== undefined && isSame(before, result)) return;
      writing = writing.then(() => file.appendFile(`${JSON.stringify(result)}\n`));
      await writing;
    },
    async close() {
      await writing.catch(() => {});
      await file.close();
    },
  };
};

const isSame = (a: Stored, b: Stored): boolean =>
  a.awarded === b.awarded &&
  a.confidence === b.confidence &&
  a.review_reasons.join() === b.review_reasons.join();

const load = async (path: string, known: Map<string, Stored>): Promise<void> => {
  const stream = createReadStream(path, 'utf8');
  let broken = 0;
  for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
    if (text === '') continue;
    const result = parsed(text);
    if (result === null) broken += 1;
    else known.set(result.key, result);
  }
  // Each crash tears one line at most; a file without any result was not written here.
  if (broken > 1 && known.size === 0) {
    throw new AgreementFailure(
      `${path} holds no results of this release: remove it, or name another folder with --out.`,
    );
  }
};

const parsed = (text: string): Stored | null => {
  try {
    return Stored.parse(JSON.parse(text));
  } catch {
    return null;
  }
};

/** A torn line must not swallow the one that is appended next. */
const mendTail = async (file: FileHandle): Promise<void> => {
  const { size } = await file.stat();
  if (size === 0) return;
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 });
  if (buffer.toString() !== '\n') await file.appendFile('\n');
};
