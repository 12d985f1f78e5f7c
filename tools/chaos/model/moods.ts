import {
  asArray,
  asObject,
  asText,
  type Behaviour,
  type Json,
  type ModelServer,
} from '@evaluation/test-services/model';
import type { Mood } from '../plan/plan.ts';
import { awardOf, tokenIn } from './truth.ts';

/*
 * The model's marks depend on the answer alone, whatever its mood. A mood delays or breaks replies within what the
 * service promises to survive: a call gets at most two unusable replies, since the third one ends its question, and
 * at most one that never ends.
 */

export interface Moods {
  feel(mood: Mood): void;
  recover(): void;
}

const MOST_UNUSABLE = 2;
const MOST_5XX = 4;
const SLOW_MS = 400;
/** Calls after which the record of the model server is emptied. */
const MOST_RECORDED = 2_000;

export const setMoods = (model: ModelServer): Moods => {
  let mood: Mood | null = null;
  /** Number of broken replies by call. A call's 5xx are counted separately, because they may be repeated more often. */
  const broken = new Map<string, number>();
  const hung = new Set<string>();
  let turns = 0;

  const spend = (key: string, most: number): boolean => {
    const count = broken.get(key) ?? 0;
    if (count >= most) return false;
    broken.set(key, count + 1);
    return true;
  };
  const unusable = (id: string): Behaviour | undefined => {
    if (!spend(`unusable ${id}`, MOST_UNUSABLE)) return undefined;
    turns += 1;
    const kinds = [
      { kind: 'truncated' },
      { kind: 'violating' },
      { kind: 'content', content: 'I cannot mark.' },
    ] as const;
    return kinds[turns % kinds.length];
  };
  const unanswered = (id: string): Behaviour | undefined => {
    turns += 1;
    if (turns % 5 === 0 && !hung.has(id)) {
      hung.add(id);
      return { kind: 'hang' };
    }
    if (!spend(`unanswered ${id}`, MOST_5XX)) return undefined;
    const kinds = [{ kind: 'cut' }, { kind: 'html' }, { kind: 'status', status: 503 }] as const;
    return kinds[turns % kinds.length];
  };

  const behave = (): void =>
    model.behave((call) => {
      if (model.calls.length > MOST_RECORDED) {
        model.reset();
        behave();
      }
      const text = textOf(call.body['messages']);
      const token = tokenIn(answerIn(text)) ?? '';
      const id = `${call.schemaName} ${token} ${/"question":"?(\w+)/.exec(text)?.[1] ?? ''}`;
      const unwell = {
        slow: () => undefined,
        busy: (): Behaviour => ({ kind: 'status', status: 429, retryAfterMs: 400 }),
        down: (): Behaviour | undefined =>
          spend(`down ${id}`, MOST_5XX) ? { kind: 'status', status: 503 } : undefined,
        wrong: () => unusable(id),
        mad: () => unanswered(id),
      };
      const felt = mood === null ? undefined : unwell[mood]();
      const ms = mood === 'slow' ? SLOW_MS : 0;
      return felt ?? { kind: 'altered', alter: (reply) => (token === '' ? reply : marked(reply, token)), ms };
    });
  behave();
  return {
    feel: (next) => {
      mood = next;
      broken.clear();
    },
    recover: () => {
      mood = null;
    },
  };
};

/** The text of all messages. `answerIn` finds the fenced answer in it. */
const textOf = (messages: Json | undefined): string =>
  asArray(messages)
    .map((message) => asObject(message)['content'] ?? null)
    .flatMap((content) =>
      Array.isArray(content) ? content.map((part) => asText(asObject(part)['text'])) : asText(content),
    )
    .join('\n');

const answerIn = (text: string): string =>
  /<<<ANSWER (\w+)>>>\n([\s\S]*)\n<<<END ANSWER \1>>>/.exec(text)?.[2] ?? '';

const marked = (reply: Json, token: string): Json =>
  Object.fromEntries(
    Object.entries(asObject(reply)).map(([name, value]) => {
      const [, criterion] = /^criterion_(\d+)$/.exec(name) ?? [];
      if (criterion === undefined) return [name, value];
      return [name, { ...asObject(value), awarded: awardOf(token, Number(criterion)) }];
    }),
  );
