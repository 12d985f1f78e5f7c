import type { Answered, Spent } from '../grader.ts';
import { GraderFailure } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { failedAfter, spentOn } from '../usage.ts';
import type { TurnedReading } from './parse.ts';
import type { ShownPage } from './prompt.ts';
import { readPagesCall } from './readPages.ts';

export type Ask = <Wire, Value>(call: ModelCall<Wire, Value>) => Promise<Answered<Value>>;

/** What came of pages that were asked for together. */
export interface PartsRead {
  /** In the order asked; of a page that no reply could be used for, nothing. */
  readings: TurnedReading[];
  answers: Answered<TurnedReading[]>[];
  /** What was used for nothing. */
  spent: readonly Spent[];
}

/**
 * Asks for pages together, and for each by itself where the reply to all of them is cut off or stays malformed: one page
 * that a model cannot put into the schema does not cost the others. A reply that was cut off is never asked for again as a
 * shorter one, which would have words of the candidate left out. For n pages at most 3 + 3n calls, transient failures aside.
 * @throws GraderFailure transient or permanent; malformed only of `ask` itself, never
 */
export async function readInParts(
  ask: Ask,
  pages: readonly ShownPage[],
  context: ShownPage | null,
): Promise<PartsRead> {
  let failure: GraderFailure;
  try {
    const answered = await ask(readPagesCall(pages, context));
    return { readings: answered.value, answers: [answered], spent: [] };
  } catch (error) {
    if (!(error instanceof GraderFailure) || error.kind !== 'malformed') throw error;
    failure = error;
  }
  if (pages.length === 1) return { readings: [], answers: [], spent: failure.spent };
  const settled = await Promise.allSettled(
    pages.map((page, index) => readInParts(ask, [page], pages[index - 1] ?? context)),
  );
  const parts = settled.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []));
  const answers = parts.flatMap((part) => part.answers);
  const spent = [...failure.spent, ...parts.flatMap((part) => part.spent)];
  for (const part of settled) {
    if (part.status === 'fulfilled') continue;
    const reason: unknown = part.reason;
    throw reason instanceof GraderFailure ? failedAfter(reason, [...spent, ...spentOn(answers)]) : reason;
  }
  return { readings: parts.flatMap((part) => part.readings), answers, spent };
}
