import { setTimeout as wait } from 'node:timers/promises';
import type { Submission, SubmissionList } from '@evaluation/rest-contract/schemas';
import type { RetryingClient } from './retrying.ts';

/** Reads the feed again and again as docs/api/submissions.md#feed says, from the beginning of the run. */
export interface FeedReader {
  /** The newest row read of each submission. */
  rows: Map<string, Submission>;
  /** Passes that ended without an answer or with one that is not a list. */
  failures: ReadonlySet<string>;
  passes(): number;
  /** Reads one more pass and stops. */
  finish(): Promise<void>;
}

const OVERLAP_MS = 120_000;
const BETWEEN_MS = 2_000;

export const startFeedReader = (client: RetryingClient): FeedReader => {
  const rows = new Map<string, Submission>();
  let since = new Date(Date.now() - OVERLAP_MS).toISOString();
  let isOver = false;
  let passes = 0;
  const failures = new Set<string>();

  const pass = async (): Promise<void> => {
    let newest = '';
    for (let cursor = ''; ;) {
      const query = `updated_since=${encodeURIComponent(since)}&limit=200${cursor}`;
      const { status, body } = await client.get<SubmissionList>(`/submissions?${query}`);
      if (status !== 200) throw new Error(`the feed answered ${status} ${JSON.stringify(body)}`);
      for (const row of body.data) {
        const known = rows.get(row.id);
        if (known === undefined || row.updated_at > known.updated_at) rows.set(row.id, row);
        if (row.updated_at > newest) newest = row.updated_at;
      }
      if (!body.has_more) break;
      cursor = `&cursor=${encodeURIComponent(body.next_cursor ?? '')}`;
    }
    passes += 1;
    if (newest === '') return;
    const next = new Date(Date.parse(newest) - OVERLAP_MS).toISOString();
    if (next > since) since = next;
  };

  const reading = (async () => {
    while (!isOver) {
      // A request that was given up is counted by the client; the next pass begins again.
      await pass().catch((error: unknown) => void failures.add(String(error)));
      await wait(BETWEEN_MS);
    }
  })();
  return {
    rows,
    failures,
    passes: () => passes,
    finish: async () => {
      isOver = true;
      await reading;
      await pass().catch((error: unknown) => void failures.add(String(error)));
    },
  };
};
