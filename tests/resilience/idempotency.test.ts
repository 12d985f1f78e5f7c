import { createServer, request as forward } from 'node:http';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExam } from '../harness/api.ts';
import { eventually, lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { freePort, startSplitService, type SplitService } from '../harness/processes.ts';
import { listenHere } from '../harness/listenHere.ts';

let between: Awaited<ReturnType<typeof startBetween>>;
let service: SplitService;
let ledger: BehindTheApi;
beforeAll(async () => {
  const port = String(await freePort());
  const coreUrl = `http://127.0.0.1:${port}`;
  between = await startBetween(coreUrl);
  service = await startSplitService(
    { CORE_PORT: port, CORE_URL: coreUrl },
    { facade: { CORE_URL: between.url } },
  );
  ledger = lookBehind(service.database);
});
afterAll(async () => {
  await ledger.close();
  await service.close();
  between.close();
});

/** A proxy between facade and core that acts once core has answered a call, which is after the commit. */
const startBetween = async (coreUrl: string) => {
  let onAnswer: (path: string) => Promise<'pass' | 'drop'> = async () => 'pass';
  const server = createServer((incoming, outgoing) => {
    const call = forward(
      new URL(incoming.url ?? '/', coreUrl),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        void onAnswer(incoming.url ?? '').then((what) => {
          if (what === 'drop') incoming.socket.destroy();
          else answer.pipe(outgoing.writeHead(answer.statusCode ?? 500, answer.headers));
        });
      },
    );
    call.on('error', () => incoming.socket.destroy());
    incoming.pipe(call);
  });
  const port = await listenHere(server);
  return {
    url: `http://127.0.0.1:${port}`,
    whenAnswered: (handle: typeof onAnswer) => {
      onAnswer = handle;
    },
    close: () => server.close(),
  };
};

test('core is killed between commit and reply: the retry replays the stored outcome, and the effect happens once', async () => {
  const { api } = service;
  const exam = await createExam(api, typedExam([longAnswer('1')]));
  const send = async () => {
    const response = await api.send(`/exams/${exam.id}/submissions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
      body: JSON.stringify({
        candidate: { external_id: 'asha' },
        answers: [{ question_label: '1', text: 'Because of this.' }],
      }),
    });
    return {
      status: response.status,
      replayed: response.headers.get('idempotent-replayed'),
      body: (await response.json()) as Submission,
    };
  };

  between.whenAnswered(async (path) => {
    if (!path.includes('submissions.create')) return 'pass';
    await service.core().kill();
    return 'drop';
  });
  expect(await send()).toMatchObject({ status: 503 });
  const [made] = await ledger.query<{ id: string }>('select id from submissions where exam_id = $1', [
    exam.id,
  ]);

  between.whenAnswered(async () => 'pass');
  await service.restartCore();
  const retried = await eventually('an answer of the core that was started again', async () => {
    const answer = await send();
    return answer.status === 202 && answer;
  });
  expect(retried).toMatchObject({ replayed: 'true', body: { id: made?.id, status: 'queued' } });
  expect(await ledger.query('select id from submissions where exam_id = $1', [exam.id])).toHaveLength(1);
  expect(await ledger.entriesOf(retried.body.id)).toEqual([{ kind: 'reserve', amount: 1 }]);
});
