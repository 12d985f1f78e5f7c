/**
 * What the rules are called by which a request and a reply become marks, flags, confidence and places: all of it but the
 * prompts, which have versions of their own. Evidence names it, and a release with other rules refuses to replay that.
 * Raised by hand with every change of what comes out; rulesVersion.test.ts fails when one goes unnoticed.
 */
export const RULES_VERSION = 'rules/2';
