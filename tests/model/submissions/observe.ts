import type { Submission } from '@evaluation/rest-contract/schemas';
import type { BehindTheApi } from '../../harness/ledger.ts';
import { stored, wholeFeed } from '../../harness/tenant.ts';
import { violationsIn } from './invariants.ts';
import { committed, isFinal, viewOf } from './model.ts';
import type { ExamName, ModelRun, ModelState, Outcome, View } from './state.ts';
import type { World } from './world.ts';

/** Everything of an institute that the model predicts, visible to clients or not. */
interface InstituteView {
  balance: number;
  committed: number;
  used: number;
  submissions: Record<string, View>;
  runs: Record<string, { attempt: number } & Pick<ModelRun, 'state' | 'deadLeases' | 'marks'>>;
  usedBy: string[];
  finalExams: Record<ExamName, boolean>;
}

export const predicted = (state: ModelState): InstituteView => {
  const all = Object.values(state.submissions);
  return {
    balance: state.balance,
    committed: committed(state),
    used: state.used,
    submissions: Object.fromEntries(all.map((submission) => [submission.key, viewOf(submission)])),
    runs: Object.fromEntries(
      all.map(({ key, attempts, run: { state: is, deadLeases, marks } }) => [
        key,
        { attempt: attempts, state: is, deadLeases, marks },
      ]),
    ),
    usedBy: state.uploads.flatMap(({ usedBy }) => usedBy ?? []).toSorted(),
    finalExams: {
      typed: isFinal(state, 'typed'),
      copies: isFinal(state, 'copies'),
      'other copies': isFinal(state, 'other copies'),
    },
  };
};

export interface Observation {
  /** UTC day of the database: the quota is reset with the next. */
  day: string;
  institute: InstituteView;
  violations: string[];
}

interface RunSeen {
  submission_id: string;
  attempt: number;
  status: string;
  dead_leases: number;
  queued_at: string;
  ahead: number;
  marks: Record<string, Outcome>;
}

/** Reads the institute repeatedly, and checks values that may never decrease. */
export const observe = (behind: BehindTheApi, world: World): { read(): Promise<Observation> } => {
  const lastShown = new Map<string, { shown: string; updatedAt: string }>();
  const queuedAt = new Map<string, string>();

  const read = async (): Promise<Observation> => {
    const [feed, violations, runs, [account], uploads, finalExams] = await Promise.all([
      wholeFeed(world.api),
      violationsIn(behind, world.instituteId),
      behind.query<RunSeen>(CURRENT_RUNS, [world.instituteId]),
      behind.query<{ balance: number; committed: number; used: number; day: string }>(
        `select balance::float8, committed::float8, to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD') as day,
           coalesce((select sum(copies) from daily_copies d where d.counter_id = $1), 0)::int as used
         from credit_accounts where institute_id = $1`,
        [world.instituteId],
      ),
      behind.query<{ submission_id: string }>(
        'select submission_id from uploads where institute_id = $1 and submission_id is not null',
        [world.instituteId],
      ),
      world.finalExams(),
    ]);
    if (account === undefined) throw new Error('the institute has no account');
    const { day, ...credits } = account;
    return {
      day,
      institute: {
        ...credits,
        submissions: Object.fromEntries(
          feed.map((submission) => [world.keyOf(submission.id), world.viewOf(submission)]),
        ),
        runs: Object.fromEntries(
          runs.map((run) => [
            world.keyOf(run.submission_id),
            {
              attempt: run.attempt,
              state: STATE[run.status] ?? run.status,
              deadLeases: run.dead_leases,
              marks: run.marks,
            },
          ]),
        ) as InstituteView['runs'],
        usedBy: uploads.map(({ submission_id }) => world.keyOf(submission_id)).toSorted(),
        finalExams,
      },
      violations: [
        ...violations,
        ...feed.flatMap((submission) => follow(submission)),
        ...runs.flatMap((run) => place(run, feed)),
      ],
    };
  };

  /** `updated_at` must grow with every visible change (docs/api/submissions.md#submit). */
  const follow = (submission: Submission): string[] => {
    const { updated_at: updatedAt, ...rest } = stored(submission) as Submission;
    const shown = JSON.stringify(rest);
    const last = lastShown.get(submission.id);
    lastShown.set(submission.id, { shown, updatedAt });
    if (last === undefined || last.shown === shown || updatedAt > last.updatedAt) return [];
    return [`updated_at of ${world.keyOf(submission.id)} did not grow: ${last.shown} → ${shown}`];
  };

  /** A run keeps its place when it is handed back, and the shown position matches that place. */
  const place = (run: RunSeen, feed: readonly Submission[]): string[] => {
    const name = `${run.submission_id} ${run.attempt}`;
    const first = queuedAt.get(name) ?? run.queued_at;
    queuedAt.set(name, first);
    const shown = feed.find(({ id }) => id === run.submission_id)?.queue;
    return [
      ...(first === run.queued_at ? [] : [`run ${name} lost its place`]),
      ...(shown == null || shown.position === run.ahead
        ? []
        : [`run ${name} is shown at place ${shown.position}, and is at ${run.ahead}`]),
    ];
  };
  return { read };
};

const STATE: Record<string, string> = { queued: 'waiting', released: 'waiting', claimed: 'held' };

const CURRENT_RUNS = `
  select s.id as submission_id, r.attempt, r.status, r.dead_leases, r.queued_at::text,
    (select count(*)::int from runs o where o.institute_id = $1 and o.lane = r.lane and o.status in ('queued', 'released')
       and (o.queued_at, o.id) < (r.queued_at, r.id)) as ahead,
    coalesce((
      select jsonb_object_agg(q.label, t.status) from question_results t join questions q on q.id = t.question_id
      where t.run_id = r.id and t.source is distinct from 'auto' and t.status in ('graded', 'failed')), '{}') as marks
  from submissions s join runs r on r.id = s.current_run_id
  where s.institute_id = $1`;
