import { submit } from '../../../tests/harness/api.ts';
import { copyRows } from '../peers/templateRows.ts';
import { startPeer } from '../peers/startPeer.ts';
import { closedLoops, openClient } from '../measuring/load.ts';
import type { Row } from '../measuring/row.ts';
import { cpuInAll, type Side } from '../measuring/rounds.ts';
import { startFacadeAndCore, startInOneProcess, type BenchService } from '../measuring/service.ts';
import { inTurn, stack } from './stack.ts';
import { openTypedExam, typedSubmission } from './papers.ts';

const LOOPS = 8;
const SUBMISSIONS = 50;
const OURS = 'facade and core over HTTP';
const IN_ONE = 'npm start, one process';
const BARE = 'bare express + pg';

const submissionsIn = async (service: Pick<BenchService, 'api'>): Promise<string[]> => {
  const exam = await openTypedExam(service.api, 'objective answers', 1);
  return inTurn(SUBMISSIONS, async () => {
    const { id } = await submit(service.api, exam.id, typedSubmission('objective answers', 1));
    return id;
  });
};

export const readRow: Row = {
  name: 'read',
  what: 'GET /submissions/{id}, 8 clients',
  isCheap: true,
  warmRounds: 3,
  async open(servers, scale) {
    const { add, close } = stack();
    const reading = (
      name: string,
      url: string,
      apiKey: string,
      ids: readonly string[],
      operations: number,
      rest: Pick<Side, 'parts' | 'database'>,
    ): Side => {
      const client = add(openClient(url, LOOPS, apiKey));
      const count = Math.ceil(operations * scale);
      return {
        name,
        ...rest,
        operations: count,
        round: () =>
          closedLoops(count, LOOPS, (at) => client.get(`/submissions/${ids[at % ids.length] ?? ''}`)),
      };
    };
    try {
      const apart = add(await startFacadeAndCore(servers));
      const ids = await submissionsIn(apart);
      const together = add(await startInOneProcess(servers));
      const idsTogether = await submissionsIn(together);
      const database = await servers.newDatabase('service');
      add({ close: database.drop });
      await copyRows(apart.database.observer, database.observer);
      const bare = add(await startPeer('bareExpress.ts', { DATABASE_URL: database.superuserUrl }));
      return {
        sides: [
          reading(OURS, apart.api.baseUrl, apart.api.apiKey, ids, 1500, apart),
          reading(IN_ONE, together.api.baseUrl, together.api.apiKey, idsTogether, 1500, together),
          reading(BARE, bare.ready, '', ids, 3000, {
            parts: { express: bare.pid, PostgreSQL: servers.postgresPid },
            database,
          }),
        ],
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
  verdicts: (measured) => [
    { what: 'CPU of one read over HTTP, ms', value: measured.value(OURS, cpuInAll), atMost: 1.5 },
    { what: 'reads a second over HTTP ÷ bare', value: measured.speedOver(OURS, BARE), atLeast: 0.35 },
    { what: 'reads a second in one process ÷ bare', value: measured.speedOver(IN_ONE, BARE), atLeast: 0.7 },
  ],
};
