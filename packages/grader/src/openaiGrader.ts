import { alignAnswersCall } from './alignAnswers/alignAnswers.ts';
import { alignByLabels } from './baseline/align.ts';
import { worked } from './baseline/worked.ts';
import type { AlignedAnswer, AlignRequest, Answered, CallOptions, Grader } from './grader.ts';
import { DEFAULT_TABLE, readTable } from './confidenceTable.ts';
import { readObjectiveCall } from './judgeAnswer/judgeAnswer.ts';
import { judgeTwice } from './judgeAnswer/judgeTwice.ts';
import { judgementKey } from './judgeAnswer/judgementKey.ts';
import { objectiveKey } from './judgeAnswer/objective.ts';
import { makeRubricCall } from './makeRubric/makeRubric.ts';
import { blankReading } from './readPages/readPages.ts';
import { readUpright } from './readPages/readUpright.ts';
import { GraderFailure, isRead, NO_CALLS } from './grader.ts';
import { addUsage } from './usage.ts';
import { preflight } from './preflight/preflight.ts';
import type { PreflightCheck } from './preflightReport.ts';
import { ask } from './openai/ask.ts';
import { connect } from './openai/connection.ts';
import type { OpenAiOptions } from './openai/connection.ts';

/** Enough pages to see answers continue over a page break, and few enough that a lost call is cheap to repeat. */
const PAGES_PER_READ = 4;

/** Aligns by labels like the baseline, with a problem for the teacher, after the model failed to align a copy. */
const alignedByLabels = async (
  request: AlignRequest,
  { spent }: GraderFailure,
): Promise<Answered<AlignedAnswer[]>> => {
  const answered = await worked('align_answers', async () => alignByLabels(request));
  const usage = spent.map((each) => each.usage).reduce(addUsage, answered.usage);
  return { ...answered, usage, problems: ['aligned_by_labels'] };
};

/**
 * A grader for any OpenAI-compatible endpoint (docs/architecture.md#breaker-and-preflight). State: the places of calls
 * in flight, whether the provider is down, and the end of its requested pause.
 */
export const createOpenAiGrader = (options: OpenAiOptions): Grader => {
  const connection = connect(options);
  const closed = new AbortController();
  const table = readTable(options.confidenceTable ?? DEFAULT_TABLE);
  const secondLook = options.secondLook ?? { when: 'never', maxCharacters: 0 };
  const whileOpen = ({ signal, deadline }: CallOptions): CallOptions & { run: object } => ({
    signal: AbortSignal.any([signal, closed.signal]),
    deadline,
    // All calls of a run share its signal.
    run: signal,
  });

  return {
    provider: 'openai',
    model: options.model,
    notice: null,
    pagesPerRead: PAGES_PER_READ,

    async readPages({ pages, context }, callOptions) {
      const written = pages.filter(isRead);
      if (written.length === 0) {
        return { value: pages.map(({ page }) => blankReading(page)), usage: { ...NO_CALLS }, evidence: [] };
      }
      const open = whileOpen(callOptions);
      const answered = await readUpright((call) => ask(connection, call, open), { pages: written, context });
      const byPage = new Map(answered.value.map((reading) => [reading.page, reading]));
      return { ...answered, value: pages.map(({ page }) => byPage.get(page) ?? blankReading(page)) };
    },

    async alignAnswers(request, callOptions) {
      if (request.pages.every(({ blocks }) => blocks.every(({ crossedOut }) => crossedOut))) {
        const value = request.questions.map(({ number }) => ({ number, blocks: [] }));
        return { value, usage: { ...NO_CALLS }, evidence: [] };
      }
      try {
        return await ask(connection, alignAnswersCall(request), whileOpen(callOptions));
      } catch (error) {
        if (!(error instanceof GraderFailure)) throw error;
        if (error.kind !== 'malformed' && error.kind !== 'unanswered') throw error;
        return await alignedByLabels(request, error);
      }
    },

    async judgeAnswer(request, callOptions) {
      const key = objectiveKey(request.question);
      const open = whileOpen(callOptions);
      if (key !== null) return await ask(connection, readObjectiveCall(request, key, table), open);
      return await judgeTwice(
        (call, within) => ask(connection, call, { ...open, ...within }),
        request,
        secondLook,
        table,
        open,
      );
    },

    makeRubric: async (request, callOptions) =>
      await ask(connection, makeRubricCall(request), whileOpen(callOptions)),

    judgementKey: (request) =>
      judgementKey(request, { provider: 'openai', model: options.model, settings: connection.settings }),

    async mayTakeRun(signal) {
      const open = AbortSignal.any([signal, closed.signal]);
      const unpaused = await connection.pause.mayBegin(open);
      return AbortSignal.any([unpaused, await connection.breaker.mayBegin(open)]);
    },

    async preflight(request, signal) {
      // At least as long as the longest prompt that seemed cut, to find out whether it was.
      const contextCharacters = Math.max(request.contextCharacters, connection.material.longestLost);
      const open = AbortSignal.any([signal, closed.signal]);
      const report = await preflight(connection, { ...request, contextCharacters }, open);
      const passed = (check: PreflightCheck) =>
        report.steps.some((step) => step.check === check && step.outcome === 'passed');
      if (passed('vision')) connection.material.shown('pictures', 0);
      if (passed('context')) connection.material.shown('text', contextCharacters);
      return report;
    },

    get trouble() {
      return connection.trouble;
    },

    async close() {
      connection.breaker.close();
      closed.abort(new GraderFailure('permanent', 'the grader was closed'));
    },
  };
};
