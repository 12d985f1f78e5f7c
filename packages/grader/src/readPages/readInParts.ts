import type { Answered, Spent } from '../grader.ts';
import { GraderFailure } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { failedAfter, spentOn } from '../usage.ts';
import type { TurnedReading } from './parse.ts';
import type { ShownPage } from './prompt.ts';
import { readPagesCall } from './readPages.ts';

export type Ask = <Wire, Value>(call: ModelCall<Wire, Value>) => Promise<Answered<Value>>;

/**
 * What was asked got no answer, and less of it may get one: the endpoint refused to look at it, or took too long. It is the
 * failure that it would be if it is not asked for less.
 */
export class TooMuchAtOnce extends GraderFailure {
  readonly why: 'refused' | 'slow';

  constructor(why: 'refused' | 'slow', { kind, message, retryAfterMs, spent }: GraderFailure) {
    super(kind, message, retryAfterMs, spent);
    this.why = why;
  }
}

/** What came of pages that were asked for together. */
export interface PartsRead {
  /** In the order asked; of a page that no reply could be used for, nothing. */
  readings: TurnedReading[];
  answers: Answered<TurnedReading[]>[];
  /** What was used for nothing. */
  spent: readonly Spent[];
}

/**
 * Asks for pages together, and for each by itself where the reply to all of them is cut off or stays malformed, where none
 * comes in time, and where the endpoint refuses to look at them: one page that a model cannot put into the schema, or that
 * a filter does not let through, does not cost the others. What is refused is asked for without the page before it, so an
 * endpoint that takes one image a request gets one. A reply that was cut off is never asked for again as a shorter one,
 * which would have words of the candidate left out. For n pages at most 3 + 4n calls, transient failures aside.
 * @throws GraderFailure transient or permanent, which it is where each of several pages is refused by itself; malformed
 * only of `ask` itself, never
 */
export async function readInParts(
  ask: Ask,
  pages: readonly ShownPage[],
  context: ShownPage | null,
): Promise<PartsRead> {
  const { refusals, ...read } = await readParts(ask, pages, context);
  const [refusal] = refusals;
  // Nothing that is on them. Pages that are turned have been read before, and nothing is lost.
  const isEach = refusals.length === pages.length && pages.every(({ turn }) => turn === 0);
  if (refusal === undefined || pages.length === 1 || !isEach) return read;
  throw new GraderFailure(refusal.kind, refusal.message, undefined, read.spent);
}

/** Whether fewer pages may be read, or the one is lost and the others are not. */
function isOfThesePages(error: GraderFailure): boolean {
  return error instanceof TooMuchAtOnce || error.kind === 'malformed' || error.kind === 'unanswered';
}

/** `refusals`: of pages that were refused by themselves. */
async function readParts(
  ask: Ask,
  pages: readonly ShownPage[],
  context: ShownPage | null,
): Promise<PartsRead & { refusals: GraderFailure[] }> {
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
}
