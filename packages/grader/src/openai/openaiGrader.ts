import { alignAnswersCall } from '../alignAnswers/alignAnswers.ts';
import type { CallOptions, Grader } from '../grader.ts';
import { judgeByCriteriaCall, readObjectiveCall } from '../judgeAnswer/judgeAnswer.ts';
import { objectiveKey } from '../judgeAnswer/objective.ts';
import { blankReading, readPagesCall } from '../readPages/readPages.ts';
import { GraderFailure } from '../grader.ts';
import { ask } from './ask.ts';
import { connect } from './connection.ts';
import type { OpenAiOptions } from './connection.ts';

/** Enough pages to see answers run over a page break, few enough that one lost call is cheap to repeat. */
const PAGES_PER_READ = 4;

const NO_CALLS = { calls: 0, inputTokens: 0, outputTokens: 0, durationMs: 0 };

/**
 * A grader over any OpenAI-compatible endpoint (design chapter 7). State: the places of calls in flight, and whether the
 * provider is down.
 */
export function createOpenAiGrader(options: OpenAiOptions): Grader {
  const connection = connect(options);
  const closed = new AbortController();
  const whileOpen = ({ signal, deadline }: CallOptions): CallOptions & { run: object } => ({
    signal: AbortSignal.any([signal, closed.signal]),
    deadline,
    // All that is asked for a run ends by one signal.
    run: signal,
  });

  return {
    provider: 'openai',
    model: options.model,
    notice: null,
    pagesPerRead: PAGES_PER_READ,

    async readPages({ pages }, callOptions) {
      const written = pages.filter(({ blank }) => !blank);
      if (written.length === 0) {
        return { value: pages.map(({ page }) => blankReading(page)), usage: { ...NO_CALLS } };
      }
      const answered = await ask(connection, readPagesCall(written), whileOpen(callOptions));
      const byPage = new Map(answered.value.map((reading) => [reading.page, reading]));
      return { ...answered, value: pages.map(({ page }) => byPage.get(page) ?? blankReading(page)) };
    },

    async alignAnswers(request, callOptions) {
      if (request.pages.every(({ blocks }) => blocks.every(({ crossedOut }) => crossedOut))) {
        const value = request.questions.map(({ number }) => ({ number, blocks: [] }));
        return { value, usage: { ...NO_CALLS } };
      }
      return await ask(connection, alignAnswersCall(request), whileOpen(callOptions));
    },

    async judgeAnswer(request, callOptions) {
      const key = objectiveKey(request.question);
      return key === null
        ? await ask(connection, judgeByCriteriaCall(request), whileOpen(callOptions))
        : await ask(connection, readObjectiveCall(request, key), whileOpen(callOptions));
    },

    mayTakeRun: (signal) => connection.breaker.mayBegin(AbortSignal.any([signal, closed.signal])),

    async close() {
      connection.breaker.close();
      closed.abort(new GraderFailure('permanent', 'the grader was closed'));
    },
  };
}
