import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ErrorEnvelope, errors, type ErrorCode } from '@evaluation/rest-contract/errors';
import type { Submission } from '@evaluation/rest-contract/schemas';

/**
 * Clients that submit, poll and read while the cluster changes. Each answer must keep the contract: a success, or the
 * documented envelope with a documented status. A request is repeated as documented, with its Idempotency-Key.
 */
export interface Load {
  /** Answers from now on are counted under this name. */
  phase(name: string): void;
  /** Ids of accepted submissions. */
  accepted: ReadonlySet<string>;
  /** Answers by phase and status. */
  answers: ReadonlyMap<string, ReadonlyMap<string, number>>;
  violations: readonly string[];
  stop(): Promise<void>;
}

interface Client {
  url: string;
  apiKey: string;
  examId: string;
}

const SUBMITTERS = 2;
const POLLERS = 2;
const READERS = 2;
const PAUSE_MS = 300;
const MOST_KEPT = 50;

export const startLoad = ({ url, apiKey, examId }: Client): Load => {
  const accepted = new Set<string>();
  const answers = new Map<string, Map<string, number>>();
  const violations: string[] = [];
  let phase = 'before';
  let isOver = false;

  const count = (what: string): void => {
    const own = answers.get(phase) ?? new Map<string, number>();
    answers.set(phase, own);
    own.set(what, (own.get(what) ?? 0) + 1);
  };
  const blame = (what: string): void => {
    count('WRONG');
    if (violations.length < MOST_KEPT) violations.push(`${phase}: ${what}`);
  };

  /** Repeats a request until it succeeds. @returns its body; null if the load ends first */
  const untilDone = async (method: string, path: string, body?: object): Promise<Submission | null> => {
    const key = randomUUID();
    for (;;) {
      const answer = await once(method, path, key, body);
      if (answer.done !== null) return answer.done;
      await wait(answer.againMs);
      if (isOver) return null;
    }
  };
  const once = async (
    method: string,
    path: string,
    key: string,
    body?: object,
  ): Promise<{ done: Submission | null; againMs: number }> => {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${url}/v1${path}`, {
        method,
        headers: {
          'x-api-key': apiKey,
          ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      blame(`${method} ${path}: no answer: ${String(cause)}`);
      return { done: null, againMs: PAUSE_MS };
    }
    count(String(response.status));
    // Unchecked: only bodies of submissions are read, and the contract's own tests check bodies of successes.
    if (response.ok) return { done: JSON.parse(text) as Submission, againMs: 0 };
    const fault = faultOf(response, text);
    if (fault !== null) blame(`${method} ${path}: ${response.status}: ${fault}: ${text.slice(0, 300)}`);
    return { done: null, againMs: 1000 * Number(response.headers.get('retry-after') ?? 0.3) };
  };

  const forever = async (pauseMs: number, work: (nth: number) => Promise<void>): Promise<void> => {
    for (let nth = 0; !isOver; nth += 1) {
      await work(nth);
      await wait(pauseMs);
    }
  };
  const newest: string[] = [];
  const submitting = (client: string) =>
    forever(PAUSE_MS, async (nth) => {
      const body = {
        candidate: { external_id: `${client}-${nth}` },
        // Answers have words of their own; equal answers would share one judgement.
        answers: [{ question_label: 'T1', text: `Because it rains, says ${client} for the ${nth}th time.` }],
      };
      const submission = await untilDone('POST', `/exams/${examId}/submissions`, body);
      if (submission === null) return;
      accepted.add(submission.id);
      newest.unshift(submission.id);
      newest.splice(10);
    });
  const clients = [
    ...Array.from({ length: SUBMITTERS }, (_, nth) => submitting(`client${nth}`)),
    ...Array.from({ length: POLLERS }, (_, nth) =>
      forever(PAUSE_MS, async () => {
        const id = newest[nth];
        if (id !== undefined) await untilDone('GET', `/submissions/${id}`);
      }),
    ),
    ...Array.from({ length: READERS }, () =>
      forever(PAUSE_MS, async () => void (await untilDone('GET', `/exams/${examId}`))),
    ),
  ];
  return {
    phase: (name) => {
      phase = name;
    },
    accepted,
    answers,
    violations,
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
    },
  };
};

/** @returns how an answer other than a success breaks the contract; null if it keeps the contract */
const faultOf = (response: Response, text: string): string | null => {
  let envelope: ReturnType<typeof ErrorEnvelope.safeParse>;
  try {
    envelope = ErrorEnvelope.safeParse(JSON.parse(text));
  } catch {
    return 'the body is not JSON';
  }
  if (!envelope.success) return 'the body is not an envelope';
  const { code, request_id } = envelope.data.error;
  if (!isCode(code) || errors[code].status !== response.status)
    return `${code} is not documented for this status`;
  if (request_id !== response.headers.get('x-request-id')) return 'the request id differs from the header';
  if (response.status === 503 && response.headers.get('retry-after') === null) return 'no Retry-After';
  // The facade may refuse these requests only while another part is away.
  return response.status === 503 ? null : 'unexpected';
};

const isCode = (code: string): code is ErrorCode => code in errors;
