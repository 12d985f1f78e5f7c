import { DEMANDS } from './demandRules.ts';
import { ORDERS } from './orderRules.ts';
import { IN_OTHER_LANGUAGES } from './otherLanguages.ts';
import { readingsOf } from './readings.ts';
import { withoutReportedSpeech } from './reportedSpeech.ts';
import type { Rule } from './rule.ts';
import { firstMatch } from './rule.ts';
import { IN_STRUCTURE, SQUASHED } from './structureRules.ts';

/** The review reason of an answer that talks to whoever, or whatever, marks it (design chapter 3.18). */
export const POSSIBLE_INJECTION = 'possible_injection';

/**
 * Whether a candidate's text talks to the grader: gives it orders, asks it for marks, claims its authority, imitates the
 * edges of a prompt or a judgement. It is a hint for the teacher who reviews the answer and no defence by itself (the
 * fence is), so marks never depend on it. Pure; linear in the length of the text.
 */
export function addressesGrader(text: string): boolean {
  return addressIn(text) !== null;
}

/** The name of the rule by which a text addresses the grader; null when it does not. */
export function addressIn(text: string): string | null {
  for (const reading of readingsOf(text)) {
    const found =
      firstMatch(IN_STRUCTURE, reading.text) ??
      firstMatch(WHEN_SPOKEN, withoutReportedSpeech(reading.text)) ??
      reading.squashed.map((run) => firstMatch(SQUASHED, run)).find((name) => name !== null);
    if (found !== undefined && found !== null) return found;
  }
  return null;
}

const WHEN_SPOKEN: readonly Rule[] = [...DEMANDS, ...ORDERS, ...IN_OTHER_LANGUAGES];
