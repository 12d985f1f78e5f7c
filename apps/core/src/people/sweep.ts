import { jittered } from '@evaluation/platform/backoff';
import { startRounds, type Rounds } from '../command/rounds.ts';
import type { Services } from '../command/services.ts';

/** Expired sessions and links are kept for this long, for questions after an incident. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const SWEEP_MS = 60 * 60 * 1000;

/** Deletes old sessions and links, and counters of sign-ins whose window has passed, once an hour. */
export const startPeopleSweep = (services: Pick<Services, 'database' | 'log'>): Rounds =>
  startRounds(services.log, {
    what: 'deleting old sessions',
    pauseMs: () => jittered(SWEEP_MS),
    round: () => sweepPeople(services),
  });

export const sweepPeople = async ({ database }: Pick<Services, 'database'>): Promise<void> => {
  const now = Date.now();
  const { control } = database;
  const isOld = { expires_at: { lt: new Date(now - KEPT_MS) } };
  await control.staff_sessions.deleteMany({ where: isOld });
  await control.staff_links.deleteMany({ where: isOld });
  await control.sign_in_attempts.deleteMany({ where: { expires_at: { lt: new Date(now) } } });
};
