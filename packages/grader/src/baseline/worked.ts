import type { Answered, CallEvidence } from '../grader.ts';
import { NO_CALLS } from '../grader.ts';
import { sha256Of } from '../callEvidence.ts';

export const BASELINE_MODEL = 'baseline-lexical-4';

/** What the rules of the baseline are called in evidence; changes with what they make of a question. */
export const BASELINE_VERSION = 'baseline/4';

/** Does a piece of the baseline's work and says what it took. Its evidence is what it made: it asks nobody. */
export async function worked<T>(call: CallEvidence['call'], work: () => Promise<T>): Promise<Answered<T>> {
  const started = performance.now();
  const value = await work();
  const reply = JSON.stringify(value);
  return {
    value,
    usage: { ...NO_CALLS, durationMs: Math.round(performance.now() - started) },
    evidence: [
      {
        call,
        promptVersion: BASELINE_VERSION,
        provider: 'baseline',
        model: BASELINE_MODEL,
        settings: {},
        promptSha256: sha256Of(''),
        images: [],
        reply,
        refused: [],
      },
    ],
  };
}
