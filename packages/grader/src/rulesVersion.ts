/**
 * Version of the rules that turn a request and a reply into marks, flags, confidence and places. Prompts have versions
 * of their own. Part of evidence. Raise it with each change of results (rulesVersion.test.ts fails otherwise).
 */
export const RULES_VERSION = 'rules/3';

/** Like `rules/3`, and also flagged phrases of an answer as `possible_injection`. */
const WITH_PHRASE_RULES = 'rules/2';

/** Whether this release can settle evidence of these rules; undefined: from before rules had versions. */
export const isKnownRules = (version: string | undefined): boolean =>
  version === undefined || version === RULES_VERSION || version === WITH_PHRASE_RULES;

/**
 * Whether `possible_injection` may come from phrase rules, which this release does not have: a replay keeps that flag.
 */
export const hadPhraseRules = (version: string | undefined): boolean => version !== RULES_VERSION;
