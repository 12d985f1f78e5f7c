import { Account } from '../schemas/account.ts';
import { about, c } from './contract.ts';

export const account = c.router({
  me: {
    method: 'GET',
    path: '/me',
    summary: 'What this key may do, and how much of today it has used',
    responses: { 200: Account },
    metadata: about({ scope: null, failures: [], provisional: ['me-institute'] }),
  },
});
