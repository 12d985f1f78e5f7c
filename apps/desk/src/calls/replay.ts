import { errors, type Failure } from '@evaluation/rest-contract/errors';

interface Answer {
  status: number;
  body: Buffer;
}

/**
 * The answer to a repeated command, as the first request got it: core answers a known idempotency key with an error that
 * holds the stored outcome. Other answers are returned as they are.
 */
export const withoutReplay = (answer: Answer): Answer => {
  if (answer.status === 200) return answer;
  const replay = replayIn(answer.body);
  if (replay === null) return answer;
  if ('failure' in replay) {
    const { failure } = replay;
    const { status } = errors[failure.code];
    const data = { code: failure.code, httpStatus: status, failure, replay: null };
    return { status, body: json({ error: { message: failure.message, code: -32_000, data } }) };
  }
  return { status: 200, body: json({ result: { data: replay.body } }) };
};

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

type Replay = { body: unknown } | { failure: Failure };

const replayIn = (body: Buffer): Replay | null => {
  const envelope: { error?: { data?: { replay?: Replay | null } } } = JSON.parse(body.toString('utf8'));
  return envelope.error?.data?.replay ?? null;
};
