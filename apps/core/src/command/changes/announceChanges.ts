import { MOST_CHANGED } from '@evaluation/jobs-contract';
import { sql } from 'kysely';
import type { Change } from '../change.ts';
import { startRounds, type Rounds } from '../rounds.ts';
import type { Services } from '../services.ts';

interface Changes extends Rounds {
  /** Remembers a change for the next announcement. Does not wait. */
  note(change: Change): void;
}

interface Noted {
  exams: Set<string>;
  submissions: Set<string>;
  runs: Set<string>;
}

const PAUSE_MS = 1000;

/**
 * Announces to the desk which exams and submissions of an institute have changed (docs/architecture.md#live-pages), at
 * most once a second, in one message per institute. State, in memory: the ids since the last announcement. They are
 * lost when the process dies or NATS is down; open pages of the desk also read again at intervals.
 */
export const announceChanges = (services: Pick<Services, 'database' | 'lanes' | 'log'>): Changes => {
  let noted = new Map<string, Noted>();
  const rounds = startRounds(services.log, {
    what: 'announcement of changes',
    pauseMs: () => PAUSE_MS,
    round: async (signal) => {
      const announced = noted;
      noted = new Map();
      for (const [instituteId, changed] of announced) {
        if (signal.aborted) return;
        await announce(services, instituteId, changed);
      }
    },
  });
  return {
    close: rounds.close,
    note: ({ institute_id, exam_ids, submission_ids, run_ids }) => {
      let changed = noted.get(institute_id);
      if (changed === undefined)
        noted.set(institute_id, (changed = { exams: new Set(), submissions: new Set(), runs: new Set() }));
      for (const id of exam_ids) changed.exams.add(id);
      for (const id of submission_ids) changed.submissions.add(id);
      for (const id of run_ids) changed.runs.add(id);
    },
  };
};

const announce = async (
  { database, lanes }: Pick<Services, 'database' | 'lanes'>,
  instituteId: string,
  { exams, submissions, runs }: Noted,
): Promise<void> => {
  const isMany = exams.size + submissions.size + runs.size > MOST_CHANGED;
  if (!isMany && submissions.size + runs.size > 0) {
    const found = await database.readInTenant(
      instituteId,
      sql<{ id: string; exam_id: string }>`
        select id, exam_id from submissions
        where institute_id = ${instituteId} and id in (
          select unnest(${[...submissions]}::uuid[])
          union
          select submission_id from runs
          where institute_id = ${instituteId} and id = any(${[...runs]}::uuid[]))`,
    );
    for (const { id, exam_id } of found) {
      submissions.add(id);
      exams.add(exam_id);
    }
  }
  await lanes.broadcast('results_changed', {
    version: 1,
    institute_id: instituteId,
    exam_ids: isMany ? [] : [...exams].slice(0, MOST_CHANGED),
    submission_ids: isMany ? [] : [...submissions].slice(0, MOST_CHANGED),
    more: isMany || exams.size > MOST_CHANGED || submissions.size > MOST_CHANGED,
  });
};
