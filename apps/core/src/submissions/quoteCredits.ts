import { CreditQuoteRequest, type CreditQuote } from '@evaluation/rest-contract/schemas';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import { exact, isRead, quoteFor, type Parts, type Price } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept, refuse } from '../command/accept.ts';
import type { Services } from '../command/services.ts';
import { readAccount } from '../credits/account.ts';
import { pagesOfUploads } from './pagesOfUploads.ts';

/**
 * Computes the price of a grading and whether the credits suffice. No credits are reserved; the price is fixed when the
 * submission is accepted, with the same prices and arithmetic.
 * @throws DomainFailure validation_failed; for uploads also the errors of submitting them
 */
export const quoteCredits = async (services: Services, actor: Actor, body: unknown): Promise<CreditQuote> => {
  const request = accept(CreditQuoteRequest, body, tiedProblems);
  const problems = tiedProblems(request);
  if (problems.length > 0) refuse(problems);
  const [unit, units] = await unitsOf(services, actor, request);

  const { available, prices } = await services.database.inTenant(actor.institute_id, (tx) =>
    readAccount(tx, actor.institute_id),
  );
  const { credits } = quoteFor(prices[unit], units);
  // A price of 0 is accepted whatever the balance, as in `reserve`.
  const sufficient = credits === 0 || available.gte(exact(prices[unit].credits).times(units));
  return { total: credits, available: available.toNumber(), sufficient };
};

const unitsOf = async (
  services: Services,
  actor: Actor,
  { pages, upload_ids: uploads, typed_answers: answers }: CreditQuoteRequest,
): Promise<[Price['unit'], number]> => {
  if (uploads != null) return ['page', await pagesOfUploads(services, actor, uploads)];
  return answers == null ? ['page', pages ?? 0] : ['answer', answers];
};

const WAYS = ['pages', 'upload_ids', 'typed_answers'] as const;

/** Requires exactly one of the three fields and each upload once, on the fields that could be parsed. */
const tiedProblems = (parts: Parts<CreditQuoteRequest>): Problem[] => {
  if (!isRead(parts)) return [];
  const sent = WAYS.filter((way) => parts[way] != null);
  const message = `Send ${WAYS.join(', ')}: exactly one of them.`;
  return [
    ...(sent.length === 0 ? [{ field: 'pages', code: 'required', message }] : []),
    ...sent.slice(1).map((field) => ({ field, code: 'not_allowed', message })),
    ...repeated(parts.upload_ids),
  ];
};

const repeated = (uploads: Parts<CreditQuoteRequest['upload_ids']>): Problem[] => {
  if (uploads == null || !isRead(uploads)) return [];
  const seen = new Set<string>();
  return uploads.flatMap((id, index) => {
    if (!isRead(id)) return [];
    const isNew = seen.size < seen.add(id.toLowerCase()).size;
    return isNew
      ? []
      : [{ field: `upload_ids[${index}]`, code: 'duplicate', message: 'This upload is named twice.' }];
  });
};
