import { sha256Of } from '../src/command/workerCalls/claimToken.ts';

/** Token of the claims that tests insert, and its hash as stored. */
export const TOKEN = 'T'.repeat(43);
export const TOKEN_SHA256 = sha256Of(TOKEN);
