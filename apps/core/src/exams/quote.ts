import { withinTime, type Tx } from '@evaluation/database';
import type { Exam, ExamQuote } from '@evaluation/rest-contract/schemas';
import { priceOf } from '@evaluation/rules';

/** Longest wait for the price. An exam is created and shown even if its price cannot be read. */
const PRICE_MS = 500;

type QuoteOf = (mode: Exam['mode']) => ExamQuote | undefined;

/** Reads the price of a copy by mode; undefined if the price could not be read in PRICE_MS. */
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
