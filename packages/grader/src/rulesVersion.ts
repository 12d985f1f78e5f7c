/**
 * Version of the rules that turn a request and a reply into marks, flags, confidence and places; prompts have versions of
 * their own. Evidence names it. Raise it with every change of what comes out (rulesVersion.test.ts fails otherwise).
 */
export const RULES_VERSION = 'rules/3';

/** Flagged phrases of an answer as `possible_injection`; the same as `rules/3` in all else. */
const WITH_PHRASE_RULES = 'rules/2';

/** Whether this release settles evidence of these rules; undefined: from before rules had names. */
export function isKnownRules(version: string | undefined): boolean {
  return version === undefined || version === RULES_VERSION || version === WITH_PHRASE_RULES;
}

/** Whether `possible_injection` may rest on phrase rules, which this release does not have: a replay keeps that flag. */
export function hadPhraseRules(version: string | undefined): boolean {
  return version !== RULES_VERSION;
}
