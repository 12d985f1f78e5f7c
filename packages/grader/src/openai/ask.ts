/**
 * Carries one question to the model and stays with it until there is an answer, the deadline comes, or it is aborted
 * (design chapter 3.10).
 *
 *   answer fits the schema and settles ──▶ done
 *   transient failure ──▶ wait (jittered, doubling, at least what the endpoint asks) ──▶ ask again, until the deadline
 *   malformed output  ──▶ 1st time: ask again with the output and its fault shown · 2nd: ask afresh · 3rd: fail
 *   anything else     ──▶ fail at once
 *
 * While the provider is down, a question waits for the breaker instead of going out, within the same deadline.
 *
 * State lives in this one call and dies with it; nothing is stored, so a worker that dies pays for this call again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Answered, CallOptions } from '../grader.ts';
import { GraderFailure } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { MalformedOutput, readStrict, strictJsonSchema } from '../strictSchema.ts';
import { withinDeadline } from '../timeLimit.ts';
import type { Connection } from './connection.ts';
import { contentOf } from './connection.ts';
import { classify } from './failures.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const MALFORMED_TRIES = 3;
/** Of a malformed output, what is shown back for its repair. */
const SHOWN_OUTPUT = 20_000;

export async function ask<Wire, Value>(
  connection: Connection,
  call: ModelCall<Wire, Value>,
  /** `run`: the run that it is asked for; any object that the questions of one run share. */
  options: CallOptions & { run: object },
): Promise<Answered<Value>> {
  const started = performance.now();
  const usage = { calls: 0, inputTokens: 0, outputTokens: 0, durationMs: 0 };
  const schema = { name: call.name, schema: strictJsonSchema(call.schema) };
  const settled = await withinDeadline(options, async (signal) => {
    const question: ChatCompletionMessageParam[] = [
      { role: 'system', content: call.system },
      { role: 'user', content: await contentOf(call.user) },
    ];
    let messages = question;
    let malformed = 0;
    for (let tries = 1; ; tries += 1) {
      let askedToWaitMs = 0;
      try {
        const reply = await connection.complete(messages, schema, {
          signal,
          run: options.run,
          onCall: () => (usage.calls += 1),
        });
        usage.inputTokens += reply.inputTokens;
        usage.outputTokens += reply.outputTokens;
        return call.settle(readStrict(call.schema, reply.content));
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof MalformedOutput) {
          malformed += 1;
          if (malformed === MALFORMED_TRIES) throw new GraderFailure('malformed', error.message);
          messages = malformed === 1 ? [...question, ...repair(error)] : question;
        } else {
          const failure = classify(error);
          if (failure.kind !== 'transient') throw failure;
          askedToWaitMs = failure.retryAfterMs ?? 0;
          if (Date.now() + askedToWaitMs >= options.deadline.getTime()) throw failure;
        }
      }
      await sleep(Math.max(askedToWaitMs, 0) + backoffMs(tries), undefined, { signal });
    }
  });
  usage.durationMs = Math.round(performance.now() - started);
  const { value, problems } = settled;
  return problems.length === 0 ? { value, usage } : { value, usage, problems };
}

/** Half fixed, half random: workers that failed together do not come back together. */
function backoffMs(tries: number): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
  return full / 2 + (full / 2) * Math.random();
}

function repair({ output, problem }: MalformedOutput): ChatCompletionMessageParam[] {
  const said = output.slice(0, SHOWN_OUTPUT).toWellFormed();
  return [
    ...(said === '' ? [] : [{ role: 'assistant' as const, content: said }]),
    {
      role: 'user',
      content: `That answer does not fit the schema:\n${problem.slice(0, 4000)}\nGive the whole answer again, as JSON of the schema.`,
    },
  ];
}
