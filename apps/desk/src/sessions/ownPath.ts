const LONGEST = 1000;

/**
 * A path of the page with its query, to which a sign-in may lead. The server and the page use this rule.
 * Another address would lead a person away, and `/sign-in` and `/oidc` would ask for a sign-in again.
 * @returns null for other texts
 */
export const ownPath = (text: unknown): string | null =>
  typeof text === 'string' &&
  text.length <= LONGEST &&
  /^\/[a-z][\w/?=&%.~:+-]*$/i.test(text) &&
  !/^\/(sign-in|oidc)\b/i.test(text) &&
  !/\/(\.|%2e){1,2}(\/|\?|$)/i.test(text)
    ? text
    : null;
