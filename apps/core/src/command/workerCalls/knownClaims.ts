import { LRUCache } from 'lru-cache';
import { sha256Of } from './claimToken.ts';

/*
 * Claims that this process has granted, so that a worker's call about its own claim needs no read of its run before the
 * transaction that records. State: memory of one process, at most MOST_CLAIMS entries. An entry proves that the caller
 * was given the claim; only the transaction of a record proves that the run is still held. A process that granted
 * another claim, or that was restarted, reads the run instead.
 */

const MOST_CLAIMS = 20_000;

interface Held {
  run_id: string;
  institute_id: string;
  fence: number;
  token: string;
}

export interface KnownClaims {
  remember(held: Held, submissionId: string): void;
  /** Returns the submission of the claim; null if this process has not granted it. */
  submissionOf(held: Held): string | null;
  forget(runId: string): void;
}

export const knownClaims = (): KnownClaims => {
  const claims = new LRUCache<string, { key: string; submissionId: string }>({ max: MOST_CLAIMS });
  return {
    remember: (held, submissionId) => {
      claims.set(held.run_id, { key: keyOf(held), submissionId });
    },
    submissionOf: (held) => {
      const claim = claims.get(held.run_id);
      return claim?.key === keyOf(held) ? claim.submissionId : null;
    },
    forget: (runId) => {
      claims.delete(runId);
    },
  };
};

const keyOf = (held: Held): string => `${held.institute_id}/${held.fence}/${sha256Of(held.token)}`;
