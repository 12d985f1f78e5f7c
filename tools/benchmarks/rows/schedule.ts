import { submit } from '../../../tests/harness/api.ts';
import { closedLoops } from '../measuring/load.ts';
import { median } from '../measuring/rounds.ts';
import type { Row } from '../measuring/row.ts';
import { startFacadeAndCore } from '../measuring/service.ts';
import { openTypedExam, typedSubmission } from './papers.ts';
import { stack } from './stack.ts';
import { untilAllGraded } from './typed.ts';

const LATENCY_MS = 300;
const CALLS_AT_ONCE = 4;
const SUBMISSIONS = 60;
const OURS = 'typed submissions of 1 long answer';

/**
 * Compares the time from the first claim to the last mark with the time that the model calls alone would take. The
 * worker has its usual number of runs at once, so a run is claimed or recorded while the calls of others last.
 */
export const scheduleRow: Row = {
  name: 'schedule',
  warmRounds: 2,
  what: `${SUBMISSIONS} typed submissions, a model that takes ${LATENCY_MS} ms and ${CALLS_AT_ONCE} calls at once`,
  async open(servers, scale) {
    const { add, close } = stack();
    add({ close: () => servers.model.reset() });
    try {
      const service = add(await startFacadeAndCore(servers));
      await service.startWorker({ TYPED_MODEL_CALLS: String(CALLS_AT_ONCE) });
      const exam = await openTypedExam(service.api, 'long answers', 1);
      const count = Math.ceil(SUBMISSIONS * scale);
      return {
        sides: [
          {
            name: OURS,
            parts: service.parts,
            database: null,
            operations: count,
            round: async () => {
              servers.model.reset();
              servers.model.behave([{ behaviour: { kind: 'slow', ms: LATENCY_MS } }]);
              const { rows: begun } = await service.database.observer.query<{ now: Date }>('select now()');
              await closedLoops(count, 16, async () => {
                await submit(service.api, exam.id, typedSubmission('long answers', 1));
              });
              await untilAllGraded(service.database);
              const { rows } = await service.database.observer.query<{ seconds: number }>(
                `select extract(epoch from max(finished_at) - min(claimed_at))::float8 as seconds
                 from runs where queued_at >= $1`,
                [begun[0]?.now],
              );
              return {
                seconds: rows[0]?.seconds ?? Number.NaN,
                idealSeconds: (Math.ceil(servers.model.calls.length / CALLS_AT_ONCE) * LATENCY_MS) / 1000,
              };
            },
          },
        ],
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
  verdicts: (measured) => [
    {
      what: 'time of the model calls ÷ time taken',
      value: measured.value(OURS, ({ rounds }) =>
        median(rounds.map(({ seconds, idealSeconds }) => (idealSeconds ?? Number.NaN) / seconds)),
      ),
      atLeast: 0.95,
    },
  ],
};
