import type { ChatRequest, Json, JsonObject } from './chatRequest.ts';

export interface ModelCallRecord {
  /** Milliseconds since the epoch, after the whole request had arrived. */
  at: number;
  /** Name of the requested JSON schema, or null. */
  schemaName: string | null;
  model: string;
  authorization: string | null;
  body: ChatRequest;
  /** The client disconnected before the end of the response. */
  aborted: boolean;
  /** Milliseconds since the epoch at the end of the response or the disconnect; null before. */
  endedAt: number | null;
}

export type Behaviour =
  /** Answers from the truth, else a value of the schema. The default. */
  | { kind: 'answer' }
  /** As `answer`, but `ms` later. */
  | { kind: 'slow'; ms: number }
  /** As `answer`, but not before `until` settles. */
  | { kind: 'held'; until: Promise<unknown> }
  /** No response until the client disconnects or the server is closed. */
  | { kind: 'hang' }
  /** `error`: further fields of the error body, e.g. `code`. */
  | { kind: 'status'; status: number; retryAfterSeconds?: number; retryAfterMs?: number; error?: JsonObject }
  /** The content ends in the middle of its JSON. */
  | { kind: 'truncated' }
  /** As `truncated`, with `finish_reason: length`. */
  | { kind: 'out_of_length' }
  /** Endless output, as of a weak model: cut at the limit in the request, or a hang without one. */
  | { kind: 'runaway' }
  /** As `answer`, but changed, and `ms` later if given. */
  | { kind: 'altered'; alter: (answer: Json) => Json; ms?: number }
  /** Valid JSON that violates the requested schema. */
  | { kind: 'violating' }
  /** Replies with `content`: a string unchanged, other values as JSON. */
  | { kind: 'content'; content: unknown }
  /** Responds with what `reshape` makes of the default body: a string unchanged, other values as JSON. */
  | { kind: 'reshaped'; reshape: (completion: JsonObject) => Json; contentType?: string }
  /** Status 200 with an endless body. */
  | { kind: 'endless' }
  /** Drops pictures and invents their content, as Ollama does with a model for text only. */
  | { kind: 'blind' }
  /** Keeps and counts only the last `tokens` of a longer prompt, as Ollama does with a short context. */
  | { kind: 'cuts'; tokens: number }
  | { kind: 'cut' }
  /** Status 200 with an HTML page, as from a gateway whose upstream is down. */
  | { kind: 'html' };

/** Applies to calls with `schemaName` (default: all), for the next `times` of them (default: no limit). */
interface BehaviourRule {
  schemaName?: string;
  times?: number;
  behaviour: Behaviour;
}

export type Script = BehaviourRule[] | ((call: ModelCallRecord) => Behaviour | undefined);

/** Turns a script into one function; the first rule that still applies decides. */
export const toDecision = (script: Script): ((call: ModelCallRecord) => Behaviour) => {
  if (typeof script === 'function') return (call) => script(call) ?? { kind: 'answer' };
  const rules = script.map((rule) => ({ ...rule, left: rule.times ?? Number.POSITIVE_INFINITY }));
  return (call) => {
    const rule = rules.find(
      ({ schemaName, left }) => left > 0 && (schemaName === undefined || schemaName === call.schemaName),
    );
    if (rule === undefined) return { kind: 'answer' };
    rule.left -= 1;
    return rule.behaviour;
  };
};
