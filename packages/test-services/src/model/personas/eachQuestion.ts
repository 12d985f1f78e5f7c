import type { Behaviour, ModelCallRecord } from '../behaviour.ts';

const AFRESH = /\\n\\nThe reply is one JSON object[^"\\]*/;

type Behave = (call: ModelCallRecord) => Behaviour | undefined;

/**
 * Behaves by how often it has been asked the same: `first` for the first times, one a call, then as usual. What is shown
 * with a repetition (the output to repair) does not make another question of it, nor does the line that it ends in when it
 * is asked afresh.
 */
export function eachQuestion(...first: Behaviour[]): Behave {
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
}
