import type { Answered, Spent } from '../grader.ts';
import { GraderFailure } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { failedAfter, spentOn } from '../usage.ts';
import type { TurnedReading } from './parse.ts';
import type { ShownPage } from './prompt.ts';
import { readPagesCall } from './readPages.ts';

export type Ask = <Wire, Value>(call: ModelCall<Wire, Value>) => Promise<Answered<Value>>;

/** The endpoint refused the request or took too long, and a smaller request may succeed. */
export class TooMuchAtOnce extends GraderFailure {
  readonly why: 'refused' | 'slow';

  constructor(why: 'refused' | 'slow', { kind, message, retryAfterMs, spent }: GraderFailure) {
    super(kind, message, retryAfterMs, spent);
    this.why = why;
  }
}

interface PartsRead {
  /** In the requested order; without the pages that have no usable reply. */
  readings: TurnedReading[];
  answers: Answered<TurnedReading[]>[];
  spent: readonly Spent[];
}

/**
 * Reads pages together, and one by one if the common reply is cut off, stays malformed or is late, or if the endpoint
 * refuses the request. So one page that a model cannot transcribe or a filter blocks does not cost the others. After a
 * refusal pages are sent without the previous page, so that an endpoint with a limit of one image gets one. A reply
 * that was cut off is never requested in a shorter form, which would omit words of the candidate. For n pages at most 3
 * + 4n calls, apart from transient failures.
 * @throws GraderFailure transient or permanent, also if each of several pages is refused; never malformed
 */
export const readInParts = async (
  ask: Ask,
  pages: readonly ShownPage[],
  context: ShownPage | null,
): Promise<PartsRead> => {
  const { refusals, ...read } = await readParts(ask, pages, context);
  const [refusal] = refusals;
  // If each of several pages is refused, the endpoint is at fault and the call fails. Turned pages do not fail: they
  // have a first reading.
  const isEach = refusals.length === pages.length && pages.every(({ turn }) => turn === 0);
  if (refusal === undefined || pages.length === 1 || !isEach) return read;
  throw new GraderFailure(refusal.kind, refusal.message, undefined, read.spent);
};

/** Whether the failure concerns these pages: fewer pages may succeed, or one page is lost without the others. */
const isOfThesePages = (error: GraderFailure): boolean =>
  error instanceof TooMuchAtOnce || error.kind === 'malformed' || error.kind === 'unanswered';

/** `refusals` collects the failures of pages that were refused on their own. */
const readParts = async (
  ask: Ask,
  pages: readonly ShownPage[],
  context: ShownPage | null,
): Promise<PartsRead & { refusals: GraderFailure[] }> => {
  let failure: GraderFailure;
  try {
    const answered = await ask(readPagesCall(pages, context));
    return { readings: answered.value, answers: [answered], spent: [], refusals: [] };
  } catch (error) {
    if (!(error instanceof GraderFailure) || !isOfThesePages(error)) throw error;
    failure = error;
  }
  const isRefused = failure instanceof TooMuchAtOnce && failure.why === 'refused';
  if (pages.length === 1 && !(isRefused && context !== null)) {
    return { readings: [], answers: [], spent: failure.spent, refusals: isRefused ? [failure] : [] };
  }
  const settled = await Promise.allSettled(
    pages.map((page, index) => readParts(ask, [page], isRefused ? null : (pages[index - 1] ?? context))),
  );
  const parts = settled.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []));
  const answers = parts.flatMap((part) => part.answers);
  const spent = [...failure.spent, ...parts.flatMap((part) => part.spent)];
  for (const part of settled) {
    if (part.status === 'fulfilled') continue;
    const reason: unknown = part.reason;
    throw reason instanceof GraderFailure ? failedAfter(reason, [...spent, ...spentOn(answers)]) : reason;
  }
  return {
    readings: parts.flatMap((part) => part.readings),
    answers,
    spent,
    refusals: parts.flatMap((part) => part.refusals),
  };
};
