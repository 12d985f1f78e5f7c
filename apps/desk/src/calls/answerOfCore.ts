import { errors, type Failure } from '@evaluation/rest-contract/errors';

interface Answer {
  status: number;
  body: Buffer;
}

/**
 * Makes the answer for the page from core's answer. A typed failure gets its own status, which core's transport does
 * not know. A repeated command gets the answer of the first request: core answers a known idempotency key with an error
 * that contains the stored outcome.
 */
export const answerOfCore = (answer: Answer): Answer => {
  if (answer.status === 200) return answer;
  const { failure, replay } = errorIn(answer.body);
  if (replay != null && 'body' in replay)
    return { status: 200, body: json({ result: { data: replay.body } }) };
  const refused = replay != null && 'failure' in replay ? replay.failure : failure;
  if (refused == null) return answer;
  const { status } = errors[refused.code];
  const data = { code: refused.code, httpStatus: status, failure: refused, replay: null };
  return { status, body: json({ error: { message: refused.message, code: -32_000, data } }) };
};

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

interface ErrorData {
  failure?: Failure | null;
  replay?: { body: unknown } | { failure: Failure } | null;
}

const errorIn = (body: Buffer): ErrorData => {
  const envelope: { error?: { data?: ErrorData } } = JSON.parse(body.toString('utf8'));
  return envelope.error?.data ?? {};
};
