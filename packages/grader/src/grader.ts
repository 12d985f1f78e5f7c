/**
 * The narrow, provider-neutral contract between the worker and whatever marks: a model behind any
 * OpenAI-compatible endpoint, or the offline baseline. Types only, apart from two errors and a zero.
 * See docs/architecture.md#deadlines-and-retries.
 */

import type { Box, ExamContext, GivenAnswer, PageReading } from '@evaluation/grading-model';
import type { Hold } from './hold.ts';
import type { PreflightReport, PreflightRequest } from './preflightReport.ts';

export type { Box, PageReading, ReadBlock } from '@evaluation/grading-model';

/** A reason to abort work: no process will ask for it again, as when a submission was cancelled. */
export class NotWanted extends Error {
  constructor() {
    super('the work is not wanted any more');
    this.name = 'NotWanted';
  }
}

export interface CallOptions {
  /** Cancels the work; the call then rejects with the signal's reason within a second. One signal a run: it tells them apart. */
  signal: AbortSignal;
  /** No retry is begun and no call left running past this moment. */
  deadline: Date;
  /**
   * Whose work it is. Calls that wait for a place change it only with calls of the same institute, so that those to one
   * question go one after the other. Left out, it is all of one.
   */
  institute?: string;
  /** The run's id, the same in every process; without it no call goes in a batch. */
  runId?: string;
}

/** How calls go in batches (openai/batches.ts). */
export interface BatchOptions {
  /** Tells the batches of installations apart that share an account. */
  deployment: string;
  /** How long a call waits for others to go with, in milliseconds. */
  collectMs: number;
  /** A batch has no more; at most 448. */
  mostCalls: number;
  /** Until the first look at a batch, in milliseconds; later looks are up to ten times as far apart. */
  pollMs: number;
  /** So long before the deadline of its run a call that has no reply is made directly. Default 30 minutes. */
  reserveMs?: number;
  /** A call that could wait no longer than this is made directly at once. Default 30 minutes. */
  shortestWaitMs?: number;
}

export interface Usage {
  /** Model calls made, those that failed included. 0 for the baseline. */
  calls: number;
  inputTokens: number;
  /** Of `inputTokens`, those that the provider says it had cached. */
  cachedInputTokens: number;
  outputTokens: number;
  /** Wall time from the question to its answer, waits and retries included. */
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
 * One question to a model as it went out and what came back: enough to settle the reply again without the model
 * (resettle.ts), and to tell what it rested on. No key, no name, no page image: of those only their hashes.
 */
export interface CallEvidence {
  call: 'read_pages' | 'align_answers' | 'judge_answer' | 'make_rubric';
  /** Prompt and schema together, e.g. `judge_answer/2`. */
  promptVersion: string;
  provider: string;
  model: string;
  /**
   * What was sent beside the prompt (`temperature`, where it was; `output`), to which `endpoint`, and what a judgement's confidence was read
   * off (`confidence_table`, `mark_probabilities`).
   */
  settings: Record<string, string | number | boolean | null>;
  /** SHA-256 (hex) of all that was asked: system text, user parts with page images by their own hashes, schema. */
  promptSha256: string;
  /** SHA-256 (hex) of each page image that went in, in order. */
  images: { page: number; sha256: string }[];
  /** The reply as it came; for the baseline, which asks nobody, what it made of the question. */
  reply: string;
  /** Replies before it that broke the schema. */
  refused: string[];
}

export interface Answered<T> {
  value: T;
  usage: Usage;
  /** In the order asked; [] when nothing had to be asked. */
  evidence: CallEvidence[];
  /**
   * What was wrong with the model's output and was put right by dropping or clamping it, in words that quote
   * neither answer nor prompt. A judgement says it in `reviewReasons` too. Absent when all was well.
   */
  problems?: string[];
}

export interface PageImage {
  /** 1-based number of the page in the copy. */
  page: number;
  /** Path of a JPEG file. */
  file: string;
  width: number;
  height: number;
  /** Nothing is written on it: it is neither sent to a model nor read by OCR, and comes back without blocks. */
  blank: boolean;
  /** The PDF's own text layer, in reading order; [] for a plain scan. */
  textLines: { text: string; box: Box }[];
  /** Not what a viewer shows, or perhaps not: such a layer is never read. Where it is left out the layer is shown. */
  textIsShown?: boolean;
}

export interface ReadPagesRequest {
  /** At most `Grader.pagesPerRead` of them, in the order of the copy. */
  pages: PageImage[];
  /**
   * The written page before them, which another call reads: shown so that a first block that goes on with an answer is
   * known for what it is, and never transcribed. null before the first written page.
   */
  context: PageImage | null;
}

export interface AlignRequest {
  questions: { number: number; label: string; section: string | null; type: string; text: string }[];
  pages: PageReading[];
}

/**
 * Which blocks answer a question, in reading order. `page` is the page's number, `block` the 0-based index in its
 * `blocks`. Every question asked for comes back once, in the order asked, with no blocks when none were found.
 * Crossed-out blocks are never assigned; blocks no question claims are absent.
 */
export interface AlignedAnswer {
  number: number;
  blocks: { page: number; block: number }[];
}

export interface JudgeRequest {
  exam: ExamContext;
  question: {
    label: string;
    /** A question type of docs/api/questions.md#fields; all but long_answer are decided against the key by code. */
    type: string;
    text: string;
    maxMarks: number;
    options: { label: string; text: string }[];
    correctOptions: string[];
    answer: number | string | (number | string)[] | null;
    modelAnswer: string | null;
    partialMarking: boolean | null;
    /** [] means none: judged as one criterion of maxMarks. */
    criteria: { name: string; marks: number; keywords: string[]; guidance: string | null }[];
  };
  answer: Pick<GivenAnswer, 'text' | 'legibility' | 'blocks'>;
}

export interface MakeRubricRequest {
  exam: ExamContext;
  question: { label: string; text: string; maxMarks: number };
}

/** Criteria whose marks add up to the question's, made where a teacher gave neither rubric nor model answer. */
export type MadeRubric = JudgeRequest['question']['criteria'];

export interface JudgedCriterion {
  name: string;
  awarded: number;
  max: number;
  reason: string;
  /** Words quoted from the answer, checked to occur in it. */
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
  /** Plain English text to the student. */
  feedback: string;
  /** 0..1, by the formula in confidence.ts. */
  confidence: number;
  /** e.g. low_confidence, baseline_grader, evidence_not_found; each at most once. */
  reviewReasons: string[];
  /** [] for a typed answer. */
  annotations: Annotation[];
}

/** What keeps an endpoint from grading anything: nothing that a single answer could be blamed for, nor that passes with load. */
export type Trouble = 'unreachable' | 'refused' | 'loses_pictures' | 'loses_text';

/** Every method rejects with a GraderFailure, or with the signal's reason when it was aborted. */
export interface Grader {
  readonly provider: 'openai' | 'baseline';
  readonly model: string;
  /** A sentence that says marks come from an offline baseline and each needs a teacher; null for a model. */
  readonly notice: string | null;
  /** How many pages one readPages call should carry. */
  readonly pagesPerRead: number;
  readPages(request: ReadPagesRequest, options: CallOptions): Promise<Answered<PageReading[]>>;
  alignAnswers(request: AlignRequest, options: CallOptions): Promise<Answered<AlignedAnswer[]>>;
  /** Evidence: the first look, then the second where there was one. */
  judgeAnswer(request: JudgeRequest, options: CallOptions): Promise<Answered<Judgement>>;
  /** A rubric from a question's text alone (docs/api/rubrics.md#rules). */
  makeRubric(request: MakeRubricRequest, options: CallOptions): Promise<Answered<MadeRubric>>;
  /**
   * Names what decides a judgement: the question as it is marked, the answer's text, model, settings and prompt version.
   * Two requests of one name deserve one judgement. null where asking again costs nothing (baseline).
   */
  judgementKey(request: JudgeRequest): string | null;
  /**
   * Resolves when it makes sense to begin another run: at once, but while the provider is down or asked to be left alone.
   * The signal that it resolves to takes that back as long as no run has begun. Rejects with the signal's reason.
   */
  mayTakeRun(signal: AbortSignal): Promise<AbortSignal>;
  /**
   * Asks the endpoint whether it can do what runs need of it (preflight/preflight.ts): a few small calls, and one long one.
   * Rejects with the signal's reason only.
   */
  preflight(request: PreflightRequest, signal: AbortSignal): Promise<PreflightReport & { usage: Usage }>;
  /** What the latest call found wrong with the endpoint; null once a call got an answer, and of the baseline. */
  readonly trouble: Trouble | null;
  /** Aborts what is under way and frees what is held. */
  close(): Promise<void>;
}

/** Whether the endpoint has passed its latest preflight. Calls of a preflight do not ask. */
export interface EndpointCheck {
  isPassed(): boolean;
  /** Resolves when it has. Rejects with the signal's reason. */
  passed(signal: AbortSignal): Promise<void>;
}

/** What a grader says to its operator: ids, codes and numbers, and no word of a prompt, an answer or a key. */
export interface GraderLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export type GraderOptions =
  | {
      provider: 'openai';
      /** Ends in /v1 as a rule; any OpenAI-compatible endpoint. */
      baseUrl: string;
      apiKey: string;
      model: string;
      /** Calls in flight at once, over all runs that share this grader. */
      maxConcurrentCalls: number;
      /** Whose calls they are, as metrics and traces name it: the lane of the runs. */
      lane?: string;
      /** One call's limit; past it the call is made again, twice at most. At most 300. */
      callTimeoutSeconds: number;
      /** Sent where given; many models take only their own. */
      temperature?: number;
      /** How a request names the limit of its reply (openai/outputLimit.ts). Default max_completion_tokens. */
      outputLimit?: 'max_completion_tokens' | 'max_tokens' | 'none';
      /** The highest limit that is sent, in tokens. */
      maxOutputTokens?: number;
      /** Sent where given; a model of which it is known to reason has room for that from its first reply. */
      reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
      /** Sent where given; asked afresh, a question is asked with another one. */
      seed?: number;
      /** Sent where given. */
      serviceTier?: 'auto' | 'default' | 'flex' | 'priority';
      /** Sends `prompt_cache_key`, the same for all requests that begin alike. Default false. */
      sendPromptCacheKey?: boolean;
      /**
       * `auto` asks for log-probabilities of marks and reads confidence off them too, where the endpoint gives them
       * (judgeAnswer/markProbabilities.ts). Default off.
       */
      logprobs?: 'off' | 'auto';
      /** How closely a page is looked at; `none` does not say. Default high. */
      imageDetail?: 'high' | 'low' | 'auto' | 'none';
      /** How the endpoint is held to the schema of a reply (openai/output.ts). Default json_schema. */
      output?: 'json_schema' | 'json_object' | 'text';
      /** When a long answer is judged twice (judgeAnswer/secondLook.ts). Default never. */
      secondLook?: { when: 'doubtful' | 'never' | 'always'; maxCharacters: number };
      /** What raw confidence is worth, `0:0.31,0.5:0.55,1:0.9` (confidenceTable.ts); without it the table of the code. */
      confidenceTable?: string;
      /** What other graders of this process share that ask the same endpoint; left out, this one has its own. */
      hold?: Hold;
      /**
       * What a refusal of us, by key, account, model's name or address, does to a call. Default `wait`: until the deadline,
       * since whoever runs the service may mend it. `fail`: at once, for whoever sits before it.
       */
      whenRefused?: 'wait' | 'fail';
      /** Calls of runs that have hours go in batches. Left out, all are made directly. */
      batches?: BatchOptions;
      /** Hears what goes wrong with the endpoint, each kind once a minute at most. Left out, nothing is told. */
      log?: GraderLog;
      /** What calls of runs wait for, those of runs in hand too; left out, they wait for nothing. */
      check?: EndpointCheck;
      /** A call lost pictures or text on its way to the model, so a new preflight is due. */
      onLost?: () => void;
      /**
       * Hears `provider.down` when calls are kept back from now on, and why (origin, status, reason), and `provider.up` when
       * they go out again.
       */
      onProgress?: (
        event: 'provider.down' | 'provider.up',
        details: { model: string; origin: string; status?: number | undefined; reason?: string | undefined },
      ) => void;
    }
  | { provider: 'baseline' };

/** What a model call took that came to nothing. */
export interface Spent {
  call: CallEvidence['call'];
  promptVersion: string;
  usage: Usage;
}

export type FailureKind = 'transient' | 'malformed' | 'unanswered' | 'permanent';

/**
 * transient: 429, 5xx, network, timeouts, and refusals of us (401, 402, 403, 404); it was retried until the deadline, which
 * has come. malformed: the output broke the schema thrice. unanswered: this one request got no answer, time and again,
 * and is given up before the deadline. permanent: retrying cannot help (400, unknown errors).
 * The message quotes neither key, prompt, answer nor the endpoint's own words.
 */
export class GraderFailure extends Error {
  readonly kind: FailureKind;
  /** How long the endpoint asked us to wait, where it did. */
  readonly retryAfterMs?: number;
  /** What was used of the model until it failed: it is paid for all the same. */
  readonly spent: readonly Spent[];

  constructor(kind: FailureKind, message: string, retryAfterMs?: number, spent: readonly Spent[] = []) {
    super(message);
    this.name = 'GraderFailure';
    this.kind = kind;
    this.spent = spent;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}
