import { CreditQuote, CreditQuoteRequest, Credits } from '../schemas/credits.ts';
import { about, c } from './contract.ts';

export const credits = c.router({
  get: {
    method: 'GET',
    path: '/credits',
    summary: 'Read the balance, what is committed and available, and what copies cost',
    responses: { 200: Credits },
    metadata: about({
      scope: 'evaluation:read',
      failures: [],
      provisional: ['rate-card', 'credits-scope'],
    }),
  },
  quote: {
    method: 'POST',
    path: '/credits/quote',
    summary: 'Ask what pages, uploads or typed answers would cost, and whether the credits suffice',
    description:
      'Changes nothing and reserves nothing. An upload that no submission could take is refused as the submission would be.',
    body: CreditQuoteRequest,
    responses: { 200: CreditQuote },
    metadata: about({
      scope: 'evaluation:read',
      failures: ['not_found', 'conflict', 'validation_failed', 'too_many_pages'],
      provisional: ['quote-typed-answers', 'quote-uploads'],
    }),
  },
});
