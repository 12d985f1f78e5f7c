import type { Behaviour, ModelCallRecord } from '../behaviour.ts';

const AFRESH = /\\n\\nThe reply is one JSON object[^"\\]*/;

type Behave = (call: ModelCallRecord) => Behaviour | undefined;

/**
 * A script by repetitions of the same question: its n-th call gets the n-th of `first`, later calls the default.
 * Repair instructions and the last line of a fresh attempt do not make a different question.
 */
export const eachQuestion = (...first: Behaviour[]): Behave => {
  const asked = new Map<string, number>();
  return ({ body }) => {
    const { messages } = body;
    const question = JSON.stringify(Array.isArray(messages) ? messages.slice(0, 2) : null).replace(
      AFRESH,
      '',
    );
    const times = asked.get(question) ?? 0;
    asked.set(question, times + 1);
    return first[times];
  };
};
