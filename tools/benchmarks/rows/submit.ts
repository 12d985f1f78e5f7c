import { randomUUID } from 'node:crypto';
import { submit } from '../../../tests/harness/api.ts';
import { closedLoops, openClient } from '../measuring/load.ts';
import type { Row } from '../measuring/row.ts';
import { cpuInAll, type Side } from '../measuring/rounds.ts';
import { startFacadeAndCore, startInOneProcess } from '../measuring/service.ts';
import { startPeer } from '../peers/startPeer.ts';
import { copyRows, rowsWrittenBy } from '../peers/templateRows.ts';
import { openTypedExam, typedSubmission } from './papers.ts';
import { stack } from './stack.ts';

const LOOPS = 8;
const OURS = 'facade and core over HTTP';
const IN_ONE = 'npm start, one process';
const BARE = 'bare express + pg';
/** Tables that others refer to, first. */
const ORDER = ['candidates', 'registrations', 'submissions', 'runs', 'answers'];

const body = (): string => JSON.stringify(typedSubmission('long answers', 1));

export const submitRow: Row = {
  name: 'submit',
  what: 'POST of a typed submission, 1 long answer, with Idempotency-Key, 8 clients, one exam',
  isCheap: true,
  warmRounds: 3,
  async open(servers, scale) {
    const { add, close } = stack();
    const posting = (
      name: string,
      url: string,
      apiKey: string,
      path: string,
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
          closedLoops(
            count,
            LOOPS,
            async () => void (await client.post(path, body(), { 'idempotency-key': randomUUID() })),
          ),
      };
    };
    try {
      const apart = add(await startFacadeAndCore(servers));
      const exam = await openTypedExam(apart.api, 'long answers', 1);
      const together = add(await startInOneProcess(servers));
      const examTogether = await openTypedExam(together.api, 'long answers', 1);
      await submit(apart.api, exam.id, typedSubmission('long answers', 1));

      const external_id = randomUUID();
      const idempotencyKey = randomUUID();
      const template = await rowsWrittenBy(apart.database.observer, ORDER, async () => {
        const response = await apart.api.send(`/exams/${exam.id}/submissions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
          body: JSON.stringify({ ...typedSubmission('long answers', 1), candidate: { external_id } }),
        });
        if (response.status !== 202) throw new Error(await response.text());
        return [external_id, idempotencyKey];
      });
      const database = await servers.newDatabase('service');
      add({ close: database.drop });
      await copyRows(apart.database.observer, database.observer);
      const bare = add(
        await startPeer('bareExpress.ts', {
          DATABASE_URL: database.superuserUrl,
          TEMPLATE_ROWS: JSON.stringify(template),
          COUNTED: JSON.stringify([
            `update exams set live_submissions = live_submissions + 1, live_unfinalized = live_unfinalized + 1 where id = '${exam.id}'`,
            `update credit_accounts set committed = committed + 1`,
          ]),
        }),
      );
      const path = (id: string) => `/exams/${id}/submissions`;
      return {
        sides: [
          posting(OURS, apart.api.baseUrl, apart.api.apiKey, path(exam.id), 300, apart),
          posting(IN_ONE, together.api.baseUrl, together.api.apiKey, path(examTogether.id), 300, together),
          posting(BARE, bare.ready, '', '/submissions', 400, {
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
    {
      what: 'submissions a second in one process ÷ bare',
      value: measured.speedOver(IN_ONE, BARE),
      atLeast: 0.5,
    },
    { what: 'submissions a second over HTTP ÷ bare', value: measured.speedOver(OURS, BARE) },
    { what: 'CPU of one submission over HTTP, ms', value: measured.value(OURS, cpuInAll) },
  ],
};
