import type { Answered, CallEvidence } from '../grader.ts';
import { NO_CALLS } from '../grader.ts';
import { sha256Of } from '../callEvidence.ts';

export const BASELINE_MODEL = 'baseline-lexical-6';

/** Version of the baseline's rules in evidence; changes when their results change. */
const BASELINE_VERSION = 'baseline/6';

/** Runs a part of the baseline's work and measures it. The evidence holds the result in place of a model's reply. */
export const worked = async <T>(call: CallEvidence['call'], work: () => Promise<T>): Promise<Answered<T>> => {
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
};
