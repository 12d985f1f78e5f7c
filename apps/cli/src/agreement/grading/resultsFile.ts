/**
 * The judgements made so far, one JSON line each, appended as soon as they are made: a run that is killed loses only
 * the answers in flight. A truncated last line is ignored and its answer graded again. The file has numbers and reasons
 * only, no answer and no feedback. Usage of attempts without a judgement is recorded on separate lines, so that the
 * cost of a judgement that needed two runs includes both.
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
  /** Confidence after the table. */
  confidence: z.number(),
  /** Confidence before the table. */
  raw_confidence: z.number(),
  /** Whether a rule keeps the confidence below the review line regardless of the table. */
  held: z.boolean(),
  review_reasons: z.array(z.string()),
  prompt_versions: z.array(z.string()),
  usage: Usage,
});
export type Stored = z.infer<typeof Stored>;

const SpentInVain = z.object({ key: z.string(), in_vain: Usage });
export type StoredUsage = z.infer<typeof Usage>;

export interface ResultsFile {
  get(key: string): Stored | undefined;
  /** Total usage of failed attempts of a judgement; undefined if there were none. */
  inVain(key: string): StoredUsage | undefined;
  addInVain(key: string, usage: StoredUsage): Promise<void>;
  /** Resolves when the line is passed to the operating system. */
  add(result: Stored): Promise<void>;
  close(): Promise<void>;
}

/** @throws AgreementFailure if the file cannot be written, or is not a results file */
export const openResults = async (path: string): Promise<ResultsFile> => {
  const known = new Map<string, Stored>();
  const vain = new Map<string, StoredUsage>();
  const file = await open(path, 'a+').catch((error: unknown) => {
    throw new AgreementFailure(`${path} cannot be written: ${error instanceof Error ? error.message : ''}`);
  });
  try {
    await load(path, known, vain);
    await mendTail(file);
  } catch (error) {
    await file.close();
    throw error;
  }
  let writing = Promise.resolve();
  const append = async (line: object): Promise<void> => {
    writing = writing.then(() => file.appendFile(`${JSON.stringify(line)}\n`));
    await writing;
  };
  return {
    get: (key) => known.get(key),
    inVain: (key) => vain.get(key),
    async addInVain(key, usage) {
      vain.set(key, sumOf(vain.get(key), usage));
      await append({ key, in_vain: usage });
    },
    async add(result) {
      // The baseline judges again in each run; an equal result is not appended again.
      const before = known.get(result.key);
      known.set(result.key, result);
      if (before !== undefined && isSame(before, result)) return;
      await append(result);
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

const sumOf = (a: StoredUsage | undefined, b: StoredUsage): StoredUsage => ({
  calls: (a?.calls ?? 0) + b.calls,
  input_tokens: (a?.input_tokens ?? 0) + b.input_tokens,
  cached_input_tokens: (a?.cached_input_tokens ?? 0) + b.cached_input_tokens,
  output_tokens: (a?.output_tokens ?? 0) + b.output_tokens,
  duration_ms: (a?.duration_ms ?? 0) + b.duration_ms,
});

const load = async (
  path: string,
  known: Map<string, Stored>,
  vain: Map<string, StoredUsage>,
): Promise<void> => {
  const stream = createReadStream(path, 'utf8');
  let broken = 0;
  for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
    if (text === '') continue;
    const result = parsed(text);
    if (result === null) broken += 1;
    else if ('in_vain' in result) vain.set(result.key, sumOf(vain.get(result.key), result.in_vain));
    else known.set(result.key, result);
  }
  // A crash truncates at most one line, so several broken lines without any result mean another kind of file.
  if (broken > 1 && known.size === 0 && vain.size === 0) {
    throw new AgreementFailure(
      `${path} holds no results of this release: remove it, or name another folder with --out.`,
    );
  }
};

const parsed = (text: string): Stored | z.infer<typeof SpentInVain> | null => {
  try {
    return z.union([Stored, SpentInVain]).parse(JSON.parse(text));
  } catch {
    return null;
  }
};

/** Ends a truncated last line, so that the next line is not appended to it. */
const mendTail = async (file: FileHandle): Promise<void> => {
  const { size } = await file.stat();
  if (size === 0) return;
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 });
  if (buffer.toString() !== '\n') await file.appendFile('\n');
};
