import { setTimeout as wait } from 'node:timers/promises';
import type { Submission } from '@evaluation/rest-contract/schemas';
import type { ApiClient } from './api.ts';

/** Requests without a pause and without retries: each one that fails is kept. */
interface SteadyLoad {
  failed: string[];
  reads: number;
  submitted: Submission[];
  stop(): Promise<void>;
}

/** Clients with persistent connections, and one client with a new connection for each request. */
export const startSteadyLoad = (api: ApiClient, examId: string): SteadyLoad => {
  const load: SteadyLoad = { failed: [], reads: 0, submitted: [], stop: async () => {} };
  let isOver = false;
  const again = async (pauseMs: number, request: (nth: number) => Promise<void>): Promise<void> => {
    for (let nth = 0; !isOver; nth += 1) {
      try {
        await request(nth);
      } catch (error) {
        const cause = error instanceof Error ? (error.cause ?? error) : error;
        load.failed.push(String(cause));
      }
      await wait(pauseMs);
    }
  };
  const expectOk = (what: string, { status, body }: { status: number; body: unknown }, ok: number): void => {
    if (status !== ok) load.failed.push(`${what}: ${status} ${JSON.stringify(body)}`);
  };
  const submitting = (client: string) => async (nth: number) => {
    const answer = await api.post<Submission>(`/exams/${examId}/submissions`, {
      candidate: { external_id: `${client}-${nth}` },
      // Answers have words of their own; equal answers would share one judgement.
      answers: [{ question_label: '1', text: `Because it rains, says ${client} for the ${nth}th time.` }],
    });
    expectOk('submit', answer, 202);
    if (answer.status === 202) load.submitted.push(answer.body);
  };
  const reading = (headers: Record<string, string>) => async () => {
    const response = await api.send(`/exams/${examId}`, { method: 'GET', headers });
    expectOk('read', { status: response.status, body: await response.json() }, 200);
    load.reads += 1;
  };
  const clients = [
    again(350, submitting('A')),
    again(450, submitting('B')),
    ...[110, 190].map((pauseMs) => again(pauseMs, reading({}))),
    again(300, reading({ connection: 'close' })),
    // A pause just longer than the keep-alive time, after which the client uses its connection again.
    again(1500, reading({})),
  ];
  load.stop = async () => {
    isOver = true;
    await Promise.all(clients);
  };
  return load;
};
