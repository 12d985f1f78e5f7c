import type { ChatRequest, Json, JsonObject } from './chatRequest.ts';

/** One request as the server saw it. */
export interface ModelCallRecord {
  /** Milliseconds since the epoch, when the whole request had arrived. */
  at: number;
  /** Name of the JSON schema asked for; null when none was. */
  schemaName: string | null;
  model: string;
  authorization: string | null;
  body: ChatRequest;
  /** The client hung up before it had the whole answer. */
  aborted: boolean;
  /** Milliseconds since the epoch, when the answer was out or the client gone; null while under way. */
  endedAt: number | null;
}

export type Behaviour =
  /** Answers by the truth, else by the schema; what happens when nothing else is said. */
  | { kind: 'answer' }
  /** The same, but `ms` later. */
  | { kind: 'slow'; ms: number }
  /** The same, but not before `until`. */
  | { kind: 'held'; until: Promise<unknown> }
  /** Never answers; ends when the client gives up or the server is closed. */
  | { kind: 'hang' }
  /** `error`: more of what the body says of it, e.g. its code. */
  | { kind: 'status'; status: number; retryAfterSeconds?: number; retryAfterMs?: number; error?: JsonObject }
  /** The content breaks off in the middle of its JSON. */
  | { kind: 'truncated' }
  /** The same, and the response says so: its `finish_reason` is `length`. */
  | { kind: 'out_of_length' }
  /** Goes on without end, as a weak model does: cut off at the limit that the request gives, and hangs without one. */
  | { kind: 'runaway' }
  /** What it would have answered, changed. */
  | { kind: 'altered'; alter: (answer: Json) => Json }
  /** Well-formed JSON that breaks the schema asked for. */
  | { kind: 'violating' }
  /** This content: a string as it is, anything else as JSON. */
  | { kind: 'content'; content: unknown }
  /** The whole response as it would have been, changed: a string as it is, anything else as JSON. */
  | { kind: 'reshaped'; reshape: (completion: JsonObject) => Json; contentType?: string }
  /** A body of status 200 without end. */
  | { kind: 'endless' }
  /** As Ollama does with a model of text alone: pictures are dropped, and what they may show is made up. */
  | { kind: 'blind' }
  /** As Ollama does with a short context: of a longer prompt the last so many tokens are kept, and are all it counts. */
  | { kind: 'cuts'; tokens: number }
  /** The connection breaks in the middle of the response's body. */
  | { kind: 'cut' }
  /** 200 with a page of HTML, as a gateway answers that lost its upstream. */
  | { kind: 'html' };

/** Holds for the calls of one schema (all, if left out), for the next `times` of them (for good, if left out). */
export interface BehaviourRule {
  schemaName?: string;
  times?: number;
  behaviour: Behaviour;
}

export type Script = BehaviourRule[] | ((call: ModelCallRecord) => Behaviour | undefined);

/** Makes one function of a script; the first rule that still holds decides. */
export function toDecision(script: Script): (call: ModelCallRecord) => Behaviour {
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
}
