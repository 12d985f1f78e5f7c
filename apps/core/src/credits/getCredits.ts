import type { Credits, ExamQuote } from '@evaluation/rest-contract/schemas';
import type { Price } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import type { Services } from '../command/services.ts';
import { readSpending } from './account.ts';

export const getCredits = async (services: Services, actor: Actor): Promise<Credits> => {
  const { balance, committed, available, prices, spent } = await services.database.inTenant(
    actor.institute_id,
    (tx) => readSpending(tx, actor.institute_id),
  );
  return {
    balance: balance.toNumber(),
    committed: committed.toNumber(),
    available: available.toNumber(),
    rate_card: { page: rateOf(prices.page), answer: rateOf(prices.answer) },
    spent_30d: spent.toNumber(),
  };
};

/** `credits_per_page` is the price of a page or of an answer, as in an exam's quote (open point `rate-card`). */
const rateOf = ({ unit, credits, rate_source }: Price): ExamQuote => ({
  unit,
  credits_per_page: credits,
  rate_source,
});
