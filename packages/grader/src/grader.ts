/**
 * The provider-neutral contract between the worker and a grader: a model behind an OpenAI-compatible endpoint, or the
 * offline baseline. Contains types, two error classes and a constant. See docs/architecture.md#deadlines-and-retries.
 */

import type { Box, ExamContext, GivenAnswer, PageReading, SeenPage } from '@evaluation/rules/grading-model';
import type { EndpointPause } from './endpointPause.ts';
import type { PreflightReport, PreflightRequest } from './preflightReport.ts';

export type { Box, PageReading, ReadBlock, SeenPage, Turn } from '@evaluation/rules/grading-model';

/** Reason of an abort when no process will request the work again, e.g. for a cancelled submission. */
export class NotWanted extends Error {
  constructor() {
    super('the work is not wanted any more');
    this.name = 'NotWanted';
  }
}

export interface CallOptions {
  /** Cancels the work; the call rejects with its reason within a second. Each run has a signal of its own. */
  signal: AbortSignal;
  /** No retry starts and no call runs after this time. */
  deadline: Date;
}

export interface Usage {
  /** Model calls, including failed ones. 0 for the baseline. */
  calls: number;
  inputTokens: number;
  /** Part of `inputTokens` that the provider reports as cached. */
  cachedInputTokens: number;
  outputTokens: number;
  /** Wall time from request to result, including waits and retries. */
  durationMs: number;
}

export const NO_CALLS: Readonly<Usage> = {
  calls: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  durationMs: 0,
};

/**
 * One request to a model and its reply. Enough to settle the reply again without the model (resettle.ts) and to show
 * what it was based on. Contains no API key and no name; page images and prompt appear as hashes only.
 */
export interface CallEvidence {
  call: 'read_pages' | 'align_answers' | 'judge_answer' | 'make_rubric';
  /** Version of prompt and schema, e.g. `judge_answer/4`. */
  promptVersion: string;
  provider: string;
  model: string;
  /** `temperature`, `output`, `endpoint`, and the `confidence_table`. */
  settings: Record<string, string | number | boolean | null>;
  /** SHA-256 (hex) of the system text, the user parts with hashes of page images, and the schema. */
  promptSha256: string;
  /** SHA-256 (hex) of each page image of the call, in order. */
  images: { page: number; sha256: string }[];
  /** The reply as received; for the baseline, its result. */
  reply: string;
  /** Earlier replies that broke the schema. */
  refused: string[];
}

export interface Answered<T> {
  value: T;
  usage: Usage;
  /** In the order of the calls; [] if no call was needed. */
  evidence: CallEvidence[];
  /** Corrected faults of the model's output, without quotations; also in `reviewReasons`. Absent without faults. */
  problems?: string[];
}

/**
 * What is known of a page before it is read (packages/pdf, `PageState`). `clean`: without writing. `doubtful`: perhaps
 * faint writing. `not_drawn`: something of the page is missing in its image.
 */
export type PageState = 'written' | 'doubtful' | 'clean' | 'not_drawn';

export interface PageImage {
  page: number;
  file: string;
  width: number;
  height: number;
  state: PageState;
  /** false if the image shows no writing. Default true. */
  showsInk?: boolean;
}

/** Whether a page is sent to a model or read by OCR. Another page comes back without blocks. */
export const isRead = ({ state, showsInk = true }: Pick<PageImage, 'state' | 'showsInk'>): boolean =>
  state !== 'clean' && showsInk;

export interface ReadPagesRequest {
  /** At most `Grader.pagesPerRead` pages, in the order of the copy. */
  pages: PageImage[];
  /**
   * The previous written page, which another call reads. It is shown so that the reader sees whether the first block
   * continues an answer, and is not transcribed. null before the first written page.
   */
  context: PageImage | null;
  /** Texts of the exam (`paperTexts`) for the baseline. A model does not get them: it would read what it expects. */
  paper?: readonly string[];
}

export interface AlignRequest {
  questions: { number: number; label: string; section: string | null; type: string; text: string }[];
  pages: PageReading[];
}

/**
 * The blocks that answer a question, in reading order. `page` is the page's number, `block` the 0-based index in its
 * `blocks`. Each requested question comes back once, in the requested order; without blocks if none were found.
 * Crossed-out blocks are never assigned; blocks that answer no question are absent.
 */
export interface AlignedAnswer {
  number: number;
  blocks: { page: number; block: number }[];
  /** true if none was found and labels alone decided: an answer whose label was not read may stand in another one. */
  isDoubtful?: boolean | undefined;
}

export interface JudgeRequest {
  exam: ExamContext;
  question: {
    label: string;
    /** A question type of docs/api/questions.md#fields. Code decides all types but long_answer by their key. */
    type: string;
    text: string;
    maxMarks: number;
    options: { label: string; text: string }[];
    correctOptions: string[];
    answer: number | string | (number | string)[] | null;
    modelAnswer: string | null;
    partialMarking: boolean | null;
    /** [] is judged as one criterion of maxMarks. */
    criteria: { name: string; marks: number; keywords: string[]; guidance: string | null }[];
  };
  answer: Pick<GivenAnswer, 'text' | 'legibility' | 'blocks'>;
  /** Answers of other candidates with the teacher's marks, at most six. The baseline ignores them. */
  examples?: MarkedExample[];
}

export interface MarkedExample {
  /** Empty in a replay: evidence keeps the hash only. */
  text: string;
  /** SHA-256 (hex) of the text. */
  sha256: string;
  /** The teacher's mark, of the question's `maxMarks`. */
  awarded: number;
  /** Version of the question's guide that has the example, for the evidence; the prompt lacks it. Absent if unknown. */
  guide_version?: number | undefined;
}

export interface MakeRubricRequest {
  exam: ExamContext;
  question: { label: string; text: string; maxMarks: number };
}

/** Criteria whose marks add up to those of the question, made if the question has neither rubric nor model answer. */
export type MadeRubric = JudgeRequest['question']['criteria'];

export interface JudgedCriterion {
  name: string;
  awarded: number;
  max: number;
  reason: string;
  /** Words quoted from the answer; checked to occur in it. */
  evidence: string | null;
}

export interface Annotation {
  page: number;
  kind: 'tick' | 'cross' | 'mark' | 'comment';
  box: Box;
  text: string;
}

export interface Judgement {
  awarded: number;
  criteria: JudgedCriterion[];
  /** Plain English text for the student. */
  feedback: string;
  /** 0..1, by the formula in confidence.ts. */
  confidence: number;
  /** E.g. low_confidence, baseline_grader, evidence_not_found; each at most once. */
  reviewReasons: string[];
  /** [] for a typed answer. */
  annotations: Annotation[];
}

/** A fault of the endpoint that stops all grading. Faults of a single answer and overload are excluded. */
export type Trouble = 'unreachable' | 'refused' | 'loses_pictures' | 'loses_text';

/** All methods reject with a GraderFailure, or with the signal's reason after an abort. */
export interface Grader {
  readonly provider: 'openai' | 'baseline';
  readonly model: string;
  /** The baseline's notice that its marks need a teacher; null for a model. */
  readonly notice: string | null;
  readonly pagesPerRead: number;
  readPages(request: ReadPagesRequest, options: CallOptions): Promise<Answered<SeenPage[]>>;
  alignAnswers(request: AlignRequest, options: CallOptions): Promise<Answered<AlignedAnswer[]>>;
  /** Evidence holds the first look, then the second look if there was one. */
  judgeAnswer(request: JudgeRequest, options: CallOptions): Promise<Answered<Judgement>>;
  makeRubric(request: MakeRubricRequest, options: CallOptions): Promise<Answered<MadeRubric>>;
  /** Requests with equal keys may share one judgement. null if a new judgement is free (baseline). */
  judgementKey(request: JudgeRequest): string | null;
  /**
   * Resolves when another run may begin: at once, unless the provider is down or asked for a pause. Resolves to a
   * signal that revokes the permission as long as no run has begun. Rejects with the signal's reason.
   */
  mayTakeRun(signal: AbortSignal): Promise<AbortSignal>;
  /**
   * Checks whether the endpoint can do what runs need (preflight/preflight.ts). Rejects with the signal's reason only.
   */
  preflight(request: PreflightRequest, signal: AbortSignal): Promise<PreflightReport & { usage: Usage }>;
  /** Fault of the endpoint in the latest call; null after a reply, and always for the baseline. */
  readonly trouble: Trouble | null;
  close(): Promise<void>;
}

/** Gate of the endpoint's latest preflight. Calls of a preflight do not pass through it. */
export interface EndpointCheck {
  isPassed(): boolean;
  /** Resolves when the endpoint has passed. Rejects with the signal's reason. */
  passed(signal: AbortSignal): Promise<void>;
}

/** Log of the grader for its operator. Fields are ids, codes and numbers, without text of prompts, answers or keys. */
export interface GraderLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export type GraderOptions =
  | {
      provider: 'openai';
      /** Usually ends in /v1. */
      baseUrl: string;
      apiKey: string;
      model: string;
      /** Most calls in flight, over all runs of this grader. */
      maxConcurrentCalls: number;
      lane?: string;
      /** Time limit of one call, at most 300 s. A call over the limit is repeated at most twice. */
      callTimeoutSeconds: number;
      /** Sent if set; many models take only their default. */
      temperature?: number;
      /** Name of the limit of a reply in a request (openai/outputLimit.ts). Default max_completion_tokens. */
      outputLimit?: 'max_completion_tokens' | 'max_tokens' | 'none';
      /** Highest limit to send, in tokens. */
      maxOutputTokens?: number;
      /** Sent if set. A model with an effort other than none gets room for reasoning from its first reply. */
      reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
      /** Sent if set. A repeated request has another seed. */
      seed?: number;
      serviceTier?: 'auto' | 'default' | 'flex' | 'priority';
      /** Whether to send `prompt_cache_key`, equal for requests that begin alike. Default false. */
      sendPromptCacheKey?: boolean;
      /** Detail of page images; `none` sends no detail. Default high. */
      imageDetail?: 'high' | 'low' | 'auto' | 'none';
      /** How the endpoint is made to follow the schema of a reply (openai/output.ts). Default json_schema. */
      output?: 'json_schema' | 'json_object' | 'text';
      /** When a long answer is judged twice (judgeAnswer/secondLook.ts). Default never. */
      secondLook?: { when: 'doubtful' | 'never' | 'always'; maxCharacters: number };
      /** Curve from raw to shown confidence, `0:0.31,0.5:0.55,1:0.9` (confidenceTable.ts). Default DEFAULT_TABLE. */
      confidenceTable?: string;
      /** Shared by the graders of this process that use the same endpoint. Default: one of its own. */
      pause?: EndpointPause;
      /**
       * After a refusal of key, account, model or address: `wait` (default) retries until the deadline, `fail` fails.
       */
      whenRefused?: 'wait' | 'fail';
      /** Receives faults of the endpoint, each kind at most once a minute. */
      log?: GraderLog;
      /** Gate that calls of runs wait for, including calls of running runs. Absent: no wait. */
      check?: EndpointCheck;
      /** Called when a call lost pictures or text on its way to the model: a new preflight is due. */
      onLost?: () => void;
      /**
       * Receives `provider.down` with its cause when calls are held back, and `provider.up` when they are sent again.
       */
      onProgress?: (
        event: 'provider.down' | 'provider.up',
        details: { model: string; origin: string; status?: number | undefined; reason?: string | undefined },
      ) => void;
    }
  | { provider: 'baseline' };

export interface Spent {
  call: CallEvidence['call'];
  promptVersion: string;
  usage: Usage;
}

type FailureKind = 'transient' | 'malformed' | 'unanswered' | 'permanent';

/**
 * - transient: 429, 5xx, network errors, time-outs, and refusals by key, account or address (401, 402, 403, 404), after
 *   retries up to the deadline.
 * - malformed: the output broke the schema three times.
 * - unanswered: this one request repeatedly got no answer and was given up before the deadline.
 * - permanent: a retry cannot help (400, unknown errors).
 * The message quotes neither key, prompt, answer nor text of the endpoint.
 */
export class GraderFailure extends Error {
  readonly kind: FailureKind;
  readonly retryAfterMs?: number;
  /** Usage of the model before the failure, which is paid for. */
  readonly spent: readonly Spent[];

  constructor(kind: FailureKind, message: string, retryAfterMs?: number, spent: readonly Spent[] = []) {
    super(message);
    this.name = 'GraderFailure';
    this.kind = kind;
    this.spent = spent;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}
