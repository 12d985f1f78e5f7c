import { createHash } from 'node:crypto';
import { ExamContext, MarkedQuestion } from '@evaluation/rules/grading-model';
import { RUN_LANES } from '@evaluation/jobs-contract';
import { CriterionResult, GradingError, SubmissionStatus } from '@evaluation/rest-contract/schemas';
import { canonicalJson } from '@evaluation/rules';
import * as z from 'zod/v4';
import { AlignmentPart, GuidePart, PagesPart, QuestionPart, RubricPart } from './parts.ts';
import { printable } from './printable.ts';

export const BUNDLE_FORMAT = 'answer-evaluation/evidence/1';

/** Limits memory. The bundle of a copy of 80 pages and 200 questions stays far below. */
export const LARGEST_BUNDLE_BYTES = 256 * 1024 * 1024;
/** Our bundles are less than ten levels deep; a far deeper value would overflow the stack of recursive code. */
const DEEPEST = 32;

const KindOfPart = z.enum(['pages', 'alignment', 'question', 'rubric', 'guide']);
/** What the `ref` of each kind looks like. */
const REF: Record<z.infer<typeof KindOfPart>, RegExp> = {
  pages: /^[1-9][0-9]{0,3}$/,
  alignment: /^$/,
  question: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  rubric: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  guide: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};

/** Recorded result of one question, which a replay must compute again. */
const DecidedQuestion = z.object({
  question_id: z.uuid(),
  status: z.enum(['graded', 'failed', 'not_answered']),
  awarded: z.number().nullable(),
  max: z.number(),
  source: z.enum(['ai', 'auto']).nullable(),
  confidence: z.number().nullable(),
  needs_review: z.boolean(),
  review_reasons: z.array(z.string()),
  extracted_answer: z.string().nullable(),
  feedback: z.string().nullable(),
  criteria: z.array(CriterionResult),
  error: GradingError.nullable(),
});
export type DecidedQuestion = z.infer<typeof DecidedQuestion>;

const Outcome = z.object({
  /** In the order of the paper. A failed run has results only for the questions that it reached. */
  questions: z.array(DecidedQuestion),
  /** The submission as the API returns it, including teachers' marks; null for a run that a later run has replaced. */
  submission: z
    .object({
      status: SubmissionStatus,
      needs_review: z.boolean(),
      review_reasons: z.array(z.string()),
      totals: z.object({
        awarded: z.number(),
        max: z.number(),
        percentage: z.number().nullable(),
        questions_graded: z.int(),
        questions_failed: z.int(),
      }),
    })
    .nullable(),
});
export type Outcome = z.infer<typeof Outcome>;

/** All inputs of one run of a submission, and its result. Contains no names and no API keys. */
export const EvidenceBundle = z.object({
  format: z.literal(BUNDLE_FORMAT),
  submission: z.object({
    id: z.uuid(),
    exam_id: z.uuid(),
    lane: z.enum(RUN_LANES),
    pages: z.int().nullable(),
    approved: z.boolean(),
  }),
  run: z.object({
    id: z.uuid(),
    attempt: z.int(),
    status: z.enum(['completed', 'failed']),
    rubric_version: z.int().nullable(),
    grader: z.object({ provider: z.string(), model: z.string() }).nullable(),
  }),
  exam: ExamContext,
  questions: z.array(MarkedQuestion).max(1000),
  answers: z.array(
    z.object({ question_id: z.uuid(), option_labels: z.array(z.string()), text: z.string().nullable() }),
  ),
  overrides: z.array(z.object({ question_id: z.uuid(), awarded: z.number() })),
  parts: z
    .array(
      z
        .object({
          kind: KindOfPart,
          /** First page of a batch, or id of a question; empty for the alignment. */
          ref: z.string(),
          /** Hash of `content` as canonical JSON. */
          sha256: z.string().regex(/^[0-9a-f]{64}$/),
          content: z.unknown(),
        })
        .refine(({ kind, ref }) => REF[kind].test(ref), { path: ['ref'] }),
    )
    .max(5000),
  recorded: Outcome,
});
export type EvidenceBundle = z.infer<typeof EvidenceBundle>;

/** The file is not a bundle of a known format (`not_a_bundle`), or a part does not match its hash (`tampered`). */
export class BundleRefused extends Error {
  readonly code: 'not_a_bundle' | 'tampered';

  constructor(code: 'not_a_bundle' | 'tampered', message: string) {
    super(printable(message));
    this.name = 'BundleRefused';
    this.code = code;
  }
}

interface Parts {
  pages: PagesPart[];
  alignment: AlignmentPart | null;
  questions: ReadonlyMap<string, QuestionPart>;
  /** Rubrics that the run made itself, by question. */
  rubrics: ReadonlyMap<string, RubricPart>;
  /** Guides that set the mark in force, by question. */
  guides: ReadonlyMap<string, GuidePart>;
}

/** A bundle whose parts match their hashes. */
export interface CheckedBundle {
  bundle: EvidenceBundle;
  parts: Parts;
}

/**
 * Parses the text of a bundle. Checks its format, then the hash of each part, before it interprets any part.
 * @throws BundleRefused
 */
export const readBundle = (text: string): CheckedBundle => {
  if (text.length > LARGEST_BUNDLE_BYTES) {
    throw new BundleRefused('not_a_bundle', 'The file is too large to be a bundle.');
  }
  const value = parsed(text);
  if (isDeeperThan(DEEPEST, value)) {
    throw new BundleRefused('not_a_bundle', `This is not ${BUNDLE_FORMAT}: it is nested too deep.`);
  }
  const bundle = understood(EvidenceBundle, value, 'the file');
  for (const { kind, ref, sha256, content } of bundle.parts) {
    const actual = createHash('sha256').update(canonicalJson(content)).digest('hex');
    if (actual !== sha256) {
      throw new BundleRefused('tampered', `The part ${nameOf(kind, ref)} does not match its hash.`);
    }
  }
  const questions = new Map<string, QuestionPart>();
  const rubrics = new Map<string, RubricPart>();
  const guides = new Map<string, GuidePart>();
  const parts: Parts = { pages: [], alignment: null, questions, rubrics, guides };
  for (const { kind, ref, content } of bundle.parts) {
    const name = `the part ${nameOf(kind, ref)}`;
    switch (kind) {
      case 'pages':
        parts.pages.push(understood(PagesPart, content, name));
        break;
      case 'alignment':
        parts.alignment = understood(AlignmentPart, content, name);
        break;
      case 'question':
        questions.set(ref, understood(QuestionPart, content, name));
        break;
      case 'rubric':
        rubrics.set(ref, understood(RubricPart, content, name));
        break;
      case 'guide':
        guides.set(ref, understood(GuidePart, content, name));
    }
  }
  return { bundle, parts };
};

const nameOf = (kind: string, ref: string): string => (ref === '' ? kind : `${kind} ${ref}`);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new BundleRefused('not_a_bundle', 'The file is not JSON.');
  }
};

const understood = <T>(schema: z.ZodType<T>, value: unknown, name: string): T => {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new BundleRefused('not_a_bundle', `This is not ${BUNDLE_FORMAT}: ${name} is invalid${place}.`);
};

/**
 * Whether a JSON value is nested in more than `levels` arrays and objects. Not recursive: no depth overflows the stack.
 */
const isDeeperThan = (levels: number, value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
};
