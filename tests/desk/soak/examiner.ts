import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { startInkQueue } from '../../../apps/desk/web/src/marking/ink/inkQueue.ts';
import type { InkState } from '../../../apps/desk/web/src/marking/ink/inkState.ts';
import { startMarkQueue, type MarkQueue } from '../../../apps/desk/web/src/marking/queue/markQueue.ts';
import type { Decision, QueueState, SeenMark } from '../../../apps/desk/web/src/marking/queue/queueState.ts';
import { seenMarkOf, sendDecision } from '../../../apps/desk/web/src/marking/queue/sendDecision.ts';
import type { Random } from '../../harness/seededRandom.ts';

/*
 * An examiner without a browser: the page's own queue over the desk's protocol. Calls are lost before or after their
 * effect, and the page is loaded again at any time. `stored` and `read` have what the service has answered.
 */

export interface StoredDecision {
  decision: Decision & { seen: SeenMark };
  stored: SeenMark;
}

export interface Examiner {
  name: string;
  /** Decisions that the service has confirmed as stored, by id. */
  stored: Map<string, StoredDecision>;
  /** Times of the overrides that the examiner has seen, on a screen or in a list of changes. */
  read: Set<string>;
  look(submissionId: string): Promise<void>;
  decide(submissionId: string, questionId: string, awarded: number): Promise<void>;
  /** Ids of the strokes that the examiner has drawn and not taken back; absent in a browser, which does not draw. */
  strokes?: Set<string>;
  /** Draws a stroke, or takes the last one back. */
  draw?(submissionId: string): Promise<void>;
  loadAgain(): Promise<void>;
  /** Ends the faults and decides on all held marks of the copy, until nothing waits. */
  settle(submissionId: string): Promise<void>;
  close(): Promise<void>;
}

class CallFailed extends Error {
  readonly status: number | null;
  readonly code: string | null;

  constructor(status: number | null, code: string | null) {
    super(`call failed: ${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

interface Question {
  result: {
    question_id: string;
    awarded: number | null;
    review: { edited_at: string | null; approved: boolean };
  };
}

const FAULTS = 0.15;
const OWN = { 'x-evaluation-desk': '1', 'content-type': 'application/json' };

/** @returns the cookie of a new session */
export const newSession = async (
  url: string,
  account: { email: string; password: string },
): Promise<string> => {
  const response = await fetch(`${url}/session`, {
    method: 'POST',
    headers: OWN,
    body: JSON.stringify(account),
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`sign-in answered ${response.status}`);
  return cookie;
};

/** @param cookie of a session, which survives restarts and serves many runs */
export const newExaminer = (url: string, name: string, cookie: string, random: Random): Examiner => {
  let isFaulty = true;
  let state: QueueState = [];
  const shown = new Map<string, SeenMark>();
  const stored: Examiner['stored'] = new Map();
  const read: Examiner['read'] = new Set();

  const call = async (path: string, input: unknown, key?: string): Promise<unknown> => {
    if (isFaulty && random() < FAULTS) throw new CallFailed(null, null);
    const response = await fetch(`${url}/trpc/${path}`, {
      method: 'POST',
      headers: { ...OWN, cookie, ...(key === undefined ? {} : { 'idempotency-key': key }) },
      body: JSON.stringify(input),
    }).catch(() => {
      throw new CallFailed(null, null);
    });
    const body = (await response.json().catch(() => null)) as {
      result?: { data: unknown };
      error?: { data?: { failure?: { code: string } | null } };
    } | null;
    if (isFaulty && random() < FAULTS) throw new CallFailed(null, null);
    if (response.status !== 200 || body?.result === undefined) {
      throw new CallFailed(response.status, body?.error?.data?.failure?.code ?? null);
    }
    return body.result.data;
  };
  type Marked = Question['result'];
  const send = sendDecision(
    {
      override: async (input, key) => (await call('submissions.override', input, key)) as Marked,
      withdraw: async (input, key) => (await call('desk.marking.withdraw', input, key)) as Marked,
    },
    {
      failureIn: (error) =>
        error instanceof CallFailed && (error.code === 'conflict' || error.code === 'request_in_progress')
          ? { code: error.code, message: '' }
          : null,
      statusOf: (error) => (error instanceof CallFailed ? error.status : null),
      textOf: String,
    },
  );
  const keyOf = (submissionId: string, questionId: string): string => `${submissionId} ${questionId}`;
  const see = (submissionId: string, questionId: string, mark: SeenMark): void => {
    shown.set(keyOf(submissionId, questionId), mark);
  };
  const start = (): MarkQueue =>
    startMarkQueue({
      store: {
        update: async (change) => {
          state = structuredClone([...change(state)]);
          return state;
        },
        alone: (_signal, work) => work(),
        onForeignChange: () => () => {},
      },
      newId: randomUUID,
      pause: async (milliseconds, signal) => {
        await wait(Math.min(milliseconds, 50), undefined, { signal }).catch(() => {});
      },
      send: async (decision) => {
        const outcome = await send(decision);
        if (outcome.kind === 'stored') {
          stored.set(decision.id, { decision, stored: outcome.seen });
          see(decision.submission_id, decision.question_id, outcome.seen);
        }
        return outcome;
      },
    });
  let queue = start();

  const strokes = new Set<string>();
  let inkState: InkState = [];
  const startInk = () =>
    startInkQueue({
      store: {
        update: async (change) => {
          inkState = structuredClone([...change(inkState)]);
          return inkState;
        },
        alone: (_signal, work) => work(),
        onForeignChange: () => () => {},
      },
      pause: async (milliseconds, signal) => {
        await wait(Math.min(milliseconds, 50), undefined, { signal }).catch(() => {});
      },
      onRefused: (text) => {
        throw new Error(`a stroke was refused: ${text}`);
      },
      send: async (batch) => {
        const submission_id = batch[0]?.submission_id ?? '';
        const add = batch.flatMap((each) => (each.kind === 'add' ? [{ id: each.id, ink: each.ink }] : []));
        const remove = batch.flatMap((each) => (each.kind === 'remove' ? [each.id] : []));
        return call('desk.marking.ink', { submission_id, add, remove }).then(
          () => ({ kind: 'stored' }) as const,
          () => ({ kind: 'unreachable' }) as const,
        );
      },
    });
  let ink = startInk();

  const persist = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (tries === 600) throw error;
        await wait(100);
      }
    }
  };
  const resolve = async (decision: Decision): Promise<void> => {
    const { submission_id, question_id } = decision;
    const { mark } = (await call('desk.marking.changes', { submission_id, question_id })) as {
      mark: SeenMark;
    };
    if (mark.edited_at !== null) read.add(mark.edited_at);
    see(submission_id, question_id, mark);
    await (random() < 0.5 ? queue.insist(decision.id, mark) : queue.discard(decision.id));
  };

  return {
    name,
    stored,
    read,
    look: async (submissionId) => {
      const { questions } = (await call('desk.marking.screen', { submission_id: submissionId })) as {
        questions: Question[];
      };
      for (const { result } of questions) {
        if (result.review.edited_at !== null) read.add(result.review.edited_at);
        see(submissionId, result.question_id, seenMarkOf(result));
      }
    },
    decide: async (submissionId, questionId, awarded) => {
      const seen = shown.get(keyOf(submissionId, questionId));
      if (seen === undefined) return;
      const place = { submission_id: submissionId, question_id: questionId };
      await queue.add(place, { kind: 'mark', awarded, reason: null, reviewer: 'soak' }, seen);
    },
    strokes,
    draw: async (submissionId) => {
      const [last] = [...strokes].slice(-1);
      if (last !== undefined && random() < 0.3) {
        strokes.delete(last);
        await ink.add({ submission_id: submissionId, id: last, kind: 'remove' });
        return;
      }
      const id = randomUUID();
      strokes.add(id);
      const tick = { kind: 'tick', page: 1, at: [0.5, 0.5] as [number, number] } as const;
      await ink.add({ submission_id: submissionId, id, kind: 'add', ink: tick });
    },
    loadAgain: async () => {
      // As a browser does when a tab is closed: a call that is on its way may still arrive.
      await Promise.all([queue.close(), ink.close()]);
      queue = start();
      ink = startInk();
    },
    settle: async () => {
      isFaulty = false;
      await persist(async () => {
        for (const decision of queue.snapshot().items) {
          if (decision.held !== null) await resolve(decision);
        }
        queue.hurry();
        ink.hurry();
        await wait(50);
        if (queue.snapshot().items.length > 0) throw new Error('decisions wait');
        if (ink.snapshot().items.length > 0) throw new Error('strokes wait');
      });
    },
    close: async () => {
      await Promise.all([queue.close(), ink.close()]);
    },
  };
};
