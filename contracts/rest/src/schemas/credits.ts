import * as z from 'zod/v4';
import { ExamQuote } from './exam.ts';
import { givenId } from './primitives.ts';

/** Prices of the institute per unit (open point `rate-card`), in the shape of the exam's quote. */
export const RateCard = z.object({ page: ExamQuote, answer: ExamQuote }).meta({ id: 'RateCard' });
export type RateCard = z.infer<typeof RateCard>;

/** See docs/api/credits.md#balance. All figures are credits. */
export const Credits = z
  .object({
    balance: z.number().meta({ description: 'Below 0 where a credit limit was made use of.' }),
    committed: z.number().meta({ description: 'Quoted for copies that are still in the queue.' }),
    available: z.number().meta({
      description: 'Usable by new submissions: the balance and the credit limit, less what is committed.',
    }),
    rate_card: RateCard,
    spent_30d: z.number().meta({ description: 'Charged in the last 30 days.' }),
  })
  .meta({ id: 'Credits' });
export type Credits = z.infer<typeof Credits>;

/** See docs/api/credits.md#quote. `typed_answers` and an empty request: open point `quote-typed-answers`. */
export const CreditQuoteRequest = z
  .object({
    pages: z.int().gte(0).nullish().meta({ description: 'Scanned pages, of one copy or of many.' }),
    upload_ids: z
      .array(givenId)
      .min(1)
      .max(100)
      .nullish()
      .meta({ description: 'Uploads that are to be submitted, each once.' }),
    typed_answers: z.int().gte(0).nullish().meta({ description: 'Long answers that are not blank.' }),
  })
  .meta({
    id: 'CreditQuoteRequest',
    description: 'Send `pages`, `upload_ids` or `typed_answers`, exactly one.',
  });
export type CreditQuoteRequest = z.infer<typeof CreditQuoteRequest>;

export const CreditQuote = z
  .object({
    total: z.number().meta({ description: 'Credits that grading it costs, at the price of this moment.' }),
    available: z.number().meta({ description: 'As in `GET /credits`.' }),
    sufficient: z.boolean().meta({ description: 'Whether a submission of it would be accepted now.' }),
  })
  .meta({ id: 'CreditQuote' });
export type CreditQuote = z.infer<typeof CreditQuote>;
