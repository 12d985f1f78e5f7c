import { sql } from 'kysely';

/**
 * Condition on `submissions s`: a live submission needs a teacher and is not finalized. It matches the partial index
 * `submissions_to_review` literally. A failed submission is always flagged.
 */
export const isOpen = sql<boolean>`s.state = 'live' and s.needs_review and s.finalized_at is null`;
