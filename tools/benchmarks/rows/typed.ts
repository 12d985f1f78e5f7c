import { setTimeout as wait } from 'node:timers/promises';
import { submit } from '../../../tests/harness/api.ts';
import { startPeer } from '../peers/startPeer.ts';
import { startRedis } from '../peers/redis.ts';
import { closedLoops } from '../measuring/load.ts';
import type { Row } from '../measuring/row.ts';
import { cpuInAll, type Side } from '../measuring/rounds.ts';
import type { BenchDatabase } from '../measuring/servers.ts';
import { startFacadeAndCore } from '../measuring/service.ts';
import { openTypedExam, typedSubmission, type Paper } from './papers.ts';
import { stack } from './stack.ts';

const SUBMITTING = 16;
/** As many until Node has compiled the code that is used most. */
const WARM_SUBMISSIONS = 1000;
const LOOK_MS = 250;
const OURS = 'typed submission, accept → graded';
const GRAPHILE = 'graphile-worker, one job';
const PG_BOSS = 'pg-boss, one job';
const BULLMQ = 'BullMQ, one job';

/**
 * Waits until each submission is graded. Reads the table, because reads over HTTP would be measured too.
 * @returns the number of statements that it took
 */
export const untilAllGraded = async ({ observer }: BenchDatabase): Promise<{ looks: number }> => {
  for (let looks = 1; ; looks += 1) {
    const { rows } = await observer.query<{ open: number; failed: number }>(
      `select count(*) filter (where status in ('queued', 'processing', 'reading', 'grading'))::int as open,
         count(*) filter (where status in ('failed', 'partially_graded'))::int as failed from submissions`,
    );
    if ((rows[0]?.failed ?? 0) > 0) throw new Error('a submission failed');
    if (rows[0]?.open === 0) return { looks };
    await wait(LOOK_MS);
  }
};

interface TypedWork {
  name: string;
  paper: Paper;
  questions: number;
  /** Submissions of one round. */
  operations: number;
  cpuAtMost: number;
  withQueues?: true;
}

const typedRow = (work: TypedWork): Row => ({
  name: work.name,
  warmRounds: Math.ceil(WARM_SUBMISSIONS / work.operations),
  what: `typed submission of ${work.questions} ${work.paper}, from the request until it is graded`,
  async open(servers, scale) {
    const { add, close } = stack();
    const absent: string[] = [];
    try {
      const service = add(await startFacadeAndCore(servers));
      await service.startWorker();
      const exam = await openTypedExam(service.api, work.paper, work.questions);
      const count = Math.ceil(work.operations * scale);
      const sides: Side[] = [
        {
          name: OURS,
          parts: service.parts,
          database: service.database,
          operations: count,
          round: async () => {
            await closedLoops(count, SUBMITTING, async () => {
              await submit(service.api, exam.id, typedSubmission(work.paper, work.questions));
            });
            const outcome = await untilAllGraded(service.database);
            servers.model.reset();
            return outcome;
          },
        },
      ];
      const jobs = Math.ceil(1000 * scale);
      for (const [name, file] of work.withQueues === true
        ? [
            [GRAPHILE, 'graphileWorker.ts'],
            [PG_BOSS, 'pgBoss.ts'],
          ]
        : []) {
        if (name === undefined || file === undefined) continue;
        const database = await servers.newDatabase('empty');
        add({ close: database.drop });
        const peer = add(await startPeer(file, { DATABASE_URL: database.superuserUrl }));
        const parts = { queue: peer.pid, PostgreSQL: servers.postgresPid };
        sides.push({ name, parts, database, operations: jobs, round: () => peer.run(jobs) });
      }
      if (work.withQueues === true) {
        const redis = await startRedis(servers.folder);
        if (redis === null) {
          absent.push(`${BULLMQ}: no redis-server or valkey-server on PATH`);
        } else {
          add(redis);
          const peer = add(await startPeer('bullmq.ts', { REDIS_URL: redis.url }));
          const parts = { queue: peer.pid, Redis: redis.pid };
          sides.push({
            name: BULLMQ,
            parts,
            database: null,
            operations: jobs,
            round: () => peer.run(jobs),
          });
        }
      }
      return { sides, absent, close };
    } catch (error) {
      await close();
      throw error;
    }
  },
  verdicts: (measured) => [
    { what: 'CPU in all, ms', value: measured.value(OURS, cpuInAll), atMost: work.cpuAtMost },
    { what: 'transactions', value: measured.of(OURS)?.transactions ?? null, atMost: 5 },
    ...(work.withQueues === true
      ? [
          {
            what: 'submissions a second ÷ jobs of graphile-worker',
            value: measured.speedOver(OURS, GRAPHILE),
            atLeast: 0.5,
          },
          {
            what: 'submissions a second ÷ jobs of pg-boss',
            value: measured.speedOver(OURS, PG_BOSS),
            atLeast: 0.5,
          },
        ]
      : []),
  ],
});

export const typedRows: readonly Row[] = [
  typedRow({
    name: 'typed1',
    paper: 'long answers',
    questions: 1,
    operations: 150,
    cpuAtMost: 12,
    withQueues: true,
  }),
  typedRow({ name: 'typed10', paper: 'long answers', questions: 10, operations: 50, cpuAtMost: 30 }),
  typedRow({
    name: 'objective30',
    paper: 'objective answers',
    questions: 30,
    operations: 200,
    cpuAtMost: 10,
  }),
];
