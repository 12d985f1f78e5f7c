import { withinTime, type Tx } from '@evaluation/database';
import type { Exam, ExamQuote } from '@evaluation/rest-contract/schemas';
import { priceOf } from '@evaluation/rules';

/** An exam is shown, and created, whether or not its price can be read (docs/api/exams.md#fields): it is not waited for any longer. */
const PRICE_MS = 500;

export type QuoteOf = (mode: Exam['mode']) => ExamQuote | undefined;

/** What the copies of the institute's exams cost, by mode; undefined when the price could not be read in time. */
export const readQuote = async (tx: Tx, instituteId: string): Promise<QuoteOf> => {
  const read = await withinTime(tx, PRICE_MS, (within) =>
    within
      .selectFrom('institutes')
      .select(['credits_per_page', 'credits_per_answer'])
      .where('id', '=', instituteId)
      .executeTakeFirstOrThrow(),
  );
  if (read === null) return () => undefined;
  const { credits_per_page, credits_per_answer } = read.value;
  return (mode) => {
    const unit = mode === 'handwritten' ? 'page' : 'answer';
    const price = priceOf(unit, unit === 'page' ? credits_per_page : credits_per_answer);
    return { unit, credits_per_page: price.credits, rate_source: price.rate_source };
  };
};
