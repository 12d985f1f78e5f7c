import {
  isInputRefused,
  type RecordedBatch,
  type Recorded,
  type RecordedQuestion,
} from '@evaluation/core-client';
import type { UsedByRun } from './usage.ts';

/*
 * Records of one run, sent to core in batches: one call, and one transaction, for all that was made since the last.
 *
 *   made ──add──▶ pending ──send──▶ in flight ──answer──▶ recorded
 *                    ▲                  │ another judgement of the same answer counts: scored and sent again
 *                    └──────────────────┘
 *
 * A batch is sent WINDOW_MS after its newest record and at most LATEST_MS after its oldest, at once if it is large, and
 * together with any other call about the records. One batch is in flight at a time; later records wait for the next.
 * A batch that core refuses by its form is sent record by record, and a question that is refused alone is recorded as
 * failed: a text that breaks a bound costs its question and not the run.
 * If the process dies, what is pending or in flight is made again by the next delivery, model calls included. A call
 * that is repeated records nothing twice.
 */

const WINDOW_MS = 250;
const LATEST_MS = 1000;
/** Longest wait of a step without records, which is sent together with records to save a call. */
const STEP_MS = 5000;
/** A quarter of the largest body of a call to core. */
const MOST_BYTES = 8 * 1024 * 1024;
/** A quarter of the questions that core accepts. */
const MOST_RECORDS = 100;

type Pages = NonNullable<RecordedBatch['pages']>[number];
type Alignment = NonNullable<RecordedBatch['alignment']>;
type Question = NonNullable<RecordedBatch['questions']>[number];
type Step = NonNullable<RecordedBatch['step']>;
type Completion = Omit<NonNullable<RecordedBatch['completion']>, keyof UsedByRun>;
type Replacement = Recorded['standing'][number];
export type Found = Recorded['found'][number];

export interface RunRecords {
  /** Advances the visible status, with the next batch or after STEP_MS. */
  step(step: Step): void;
  pages(pages: Pages): void;
  alignment(alignment: Alignment): void;
  /**
   * Adds the result of a question. @param rescore computes the result from the cached judgement that replaces the sent
   * one
   * @returns the result that was recorded; rejects if it could not be recorded
   */
  question(question: Question, rescore?: (replacement: Replacement) => Question): Promise<RecordedQuestion>;
  /** Looks judgements up in the cache. */
  find(keys: readonly string[]): Promise<Found[]>;
  /** Resolves when all records are stored. @throws RunLost; the error of a batch that core refused */
  flush(): Promise<void>;
  complete(completion: Completion): Promise<void>;
  /** Sends what is left by another call, after the run's own calls were aborted. */
  sendLeft(send: Send): Promise<void>;
  /** Sets the source of the token usage, which is sent with each batch. */
  reportUsage(used: () => UsedByRun): void;
  close(): void;
}

type Send = (batch: RecordedBatch) => Promise<Recorded>;

/** What is made, in order. `step` is kept apart: the latest counts. */
type Made = { bytes: number } & (
  | { kind: 'pages'; pages: Pages }
  | { kind: 'alignment'; alignment: Alignment }
  | ({ kind: 'question' } & AskedQuestion)
);

interface AskedQuestion {
  question: Question;
  rescore: (replacement: Replacement) => Question;
  recorded: PromiseWithResolvers<RecordedQuestion>;
}

interface Batch {
  step: Step | undefined;
  made: Made[];
}

export const openRecords = (send: Send, isRefused = isInputRefused): RunRecords => {
  let pending: Batch = { step: undefined, made: [] };
  let inFlight: Batch = { step: undefined, made: [] };
  let oldest: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let usage: (() => UsedByRun) | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  /** Set when a batch could not be recorded: the run cannot be completed. */
  let failed: { error: unknown } | null = null;
  let isClosed = false;

  const isPending = (): boolean => pending.step !== undefined || pending.made.length > 0;

  const stopTimer = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const sendLater = (ms: number): void => {
    stopTimer();
    const now = performance.now();
    oldest ??= now;
    timer = setTimeout(sendQuietly, Math.max(0, Math.min(ms, oldest + LATEST_MS - now)));
  };
  // The error is kept in `failed` and thrown by the next call.
  const sendQuietly = (): void => {
    stopTimer();
    void sendPending().catch(() => {});
  };

  const add = (made: Made): void => {
    if (failed !== null) throw failed.error;
    if (isClosed) throw new Error('the records of the run are closed');
    pending.made.push(made);
    if (countThatFits(pending.made) < pending.made.length) sendQuietly();
    else sendLater(WINDOW_MS);
  };

  const take = (): Batch => {
    stopTimer();
    oldest = null;
    const count = countThatFits(pending.made);
    const taken = { step: pending.step, made: pending.made.slice(0, count) };
    pending = { step: undefined, made: pending.made.slice(count) };
    if (isPending()) sendLater(0);
    return taken;
  };

  const bodyOf = ({ step, made }: Batch): RecordedBatch => {
    const alignment = made.find(({ kind }) => kind === 'alignment');
    return {
      ...(step === undefined ? {} : { step }),
      pages: made.flatMap((each) => (each.kind === 'pages' ? [each.pages] : [])),
      ...(alignment?.kind === 'alignment' ? { alignment: alignment.alignment } : {}),
      questions: made.flatMap((each) => (each.kind === 'question' ? [each.question] : [])),
      ...(usage === undefined ? {} : { used: usage() }),
    };
  };

  /** Resolves the recorded questions; those with a replacement are pending again. */
  const resolveQuestions = (made: readonly Made[], answer: Recorded): void => {
    const replacements = new Map(answer.standing.map((judgement) => [judgement.question_id, judgement]));
    for (const each of made) {
      if (each.kind !== 'question') continue;
      const { result } = each.question;
      const replacement = replacements.get(result.question_id);
      if (replacement === undefined) each.recorded.resolve(result);
      else pending.made.push({ ...each, question: each.rescore(replacement) });
    }
    if (isPending()) sendLater(WINDOW_MS);
  };

  /** Sends what is in flight record by record, after core refused it as one. */
  const sendOneByOne = async (): Promise<void> => {
    for (const each of inFlight.made) {
      const alone = send(bodyOf({ step: undefined, made: [each] }));
      if (each.kind !== 'question') {
        await alone;
        continue;
      }
      const answer = await alone.catch((error: unknown) => {
        if (!isRefused(error)) throw error;
        return null;
      });
      if (answer !== null) {
        resolveQuestions([each], answer);
        continue;
      }
      const failure: Made = { ...each, question: failedQuestion(each.question.result.question_id) };
      resolveQuestions([failure], await send(bodyOf({ step: undefined, made: [failure] })));
    }
    inFlight = { step: inFlight.step, made: [] };
  };

  /** Sends a batch when the earlier one is answered. */
  const sendWith = (more: Partial<RecordedBatch>): Promise<Recorded> => {
    const sent = turn.then(async (): Promise<Recorded> => {
      if (failed !== null) throw failed.error;
      inFlight = take();
      try {
        const answer = await send({ ...bodyOf(inFlight), ...more }).catch(async (error: unknown) => {
          if (!isRefused(error) || inFlight.made.length === 0) throw error;
          await sendOneByOne();
          return send({ ...bodyOf(inFlight), ...more });
        });
        const { made } = inFlight;
        inFlight = { step: undefined, made: [] };
        resolveQuestions(made, answer);
        return answer;
      } catch (error) {
        failed = { error };
        for (const each of inFlight.made) if (each.kind === 'question') each.recorded.reject(error);
        throw error;
      }
    });
    turn = sent.catch(() => {});
    return sent;
  };

  /** Sends one batch, unless another call has sent what was pending. */
  const sendPending = async (): Promise<void> => {
    await turn;
    if (failed !== null) throw failed.error;
    if (isPending()) await sendWith({});
  };

  const flush = async (): Promise<void> => {
    await sendPending();
    while (isPending()) await sendPending();
  };

  return {
    step: (step) => {
      pending.step = step;
      if (failed !== null || isClosed || timer !== undefined) return;
      timer = setTimeout(sendQuietly, STEP_MS);
    },
    pages: (pages) => add({ kind: 'pages', pages, bytes: sizeOf(pages) }),
    alignment: (alignment) => add({ kind: 'alignment', alignment, bytes: sizeOf(alignment) }),
    question: (question, rescore = () => question) => {
      const recorded = Promise.withResolvers<RecordedQuestion>();
      recorded.promise.catch(() => {});
      add({ kind: 'question', question, rescore, recorded, bytes: sizeOf(question) });
      return recorded.promise;
    },
    find: async (keys) => (keys.length === 0 ? [] : (await sendWith({ find: [...keys] })).found),
    flush,
    complete: async (completion) => {
      await turn;
      // Core completes a run with its last batch of questions. Readings, alignment, and questions that do not fit are
      // sent before.
      while (
        pending.made.some(({ kind }) => kind !== 'question') ||
        countThatFits(pending.made) < pending.made.length
      )
        await sendPending();
      for (let isOver = false; !isOver;) {
        if (usage === undefined) throw new Error('a run is completed with its token usage');
        isOver = (await sendWith({ completion: { ...completion, ...usage() } })).completed;
      }
    },
    sendLeft: async (by) => {
      const left = [inFlight];
      inFlight = { step: undefined, made: [] };
      while (isPending()) left.push(take());
      stopTimer();
      for (const batch of left) if (batch.made.length > 0) await by(bodyOf(batch));
    },
    reportUsage: (used) => {
      usage = used;
    },
    close: () => {
      isClosed = true;
      stopTimer();
      pending = { step: undefined, made: [] };
    },
  };
};

/** What is recorded of a question whose own record core has refused. */
const failedQuestion = (questionId: string): Question => ({
  result: {
    question_id: questionId,
    status: 'failed',
    awarded: null,
    confidence: null,
    needs_review: true,
    review_reasons: ['failed'],
    extracted_answer: null,
    feedback: null,
    criteria: [],
    annotations: [],
    error: { reason: 'question_not_graded' },
  },
});

const sizeOf = (value: object): number => JSON.stringify(value).length;

/** Counts the records of one batch: at least one, if there is one. */
const countThatFits = (made: readonly Made[]): number => {
  let bytes = 0;
  const beyond = made.findIndex((each, index) => {
    bytes += each.bytes;
    return index > 0 && (bytes > MOST_BYTES || index >= MOST_RECORDS);
  });
  return beyond === -1 ? made.length : beyond;
};
