import { setTimeout as wait } from 'node:timers/promises';
import { submit } from '../../../tests/harness/api.ts';
import type { Row } from '../measuring/row.ts';
import { startFacadeAndCore } from '../measuring/service.ts';
import { openTypedExam, typedSubmission } from './papers.ts';
import { stack } from './stack.ts';
import { untilAllGraded } from './typed.ts';

const LOOK_MS = 50;
const OURS = 'SIGKILL of the worker → claimed by another one';

/** BullMQ finds a stalled job at the second of its checks, which are 30 s apart. That is cited and not measured. */
export const recoveryRow: Row = {
  name: 'recovery',
  what: 'a worker with a run is killed; seconds until another worker has the run',
  async open(servers) {
    const { add, close } = stack();
    add({ close: () => servers.model.reset() });
    try {
      const service = add(await startFacadeAndCore(servers));
      const exam = await openTypedExam(service.api, 'long answers', 1);
      const { observer } = service.database;
      const untilClaimed = async (id: string, after: number): Promise<number> => {
        for (;;) {
          const { rows } = await observer.query<{ fence: number }>(
            `select r.fence from runs r join submissions s on s.current_run_id = r.id
             where s.id = $1 and r.status = 'claimed' and r.fence > $2`,
            [id, after],
          );
          if (rows[0] !== undefined) return rows[0].fence;
          await wait(LOOK_MS);
        }
      };
      let working = await service.startWorker();
      return {
        sides: [
          {
            name: OURS,
            parts: {},
            database: null,
            operations: 1,
            round: async () => {
              servers.model.behave([{ behaviour: { kind: 'hang' } }]);
              const { id } = await submit(service.api, exam.id, typedSubmission('long answers', 1));
              const fence = await untilClaimed(id, -1);
              const next = await service.startWorker();
              const begun = performance.now();
              await working.kill();
              await untilClaimed(id, fence);
              const seconds = (performance.now() - begun) / 1000;
              // Ends the call that hangs: the next worker asks again and is answered.
              servers.model.reset();
              working = await service.startWorker();
              await next.kill();
              await untilAllGraded(service.database);
              return { seconds };
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
      what: 'slowest recovery, s',
      value: measured.value(OURS, ({ rounds }) => Math.max(...rounds.map(({ seconds }) => seconds))),
      atMost: 15,
    },
  ],
};
