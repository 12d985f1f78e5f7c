import type { Intent } from './intents.ts';

/**
 * Simplifies a request step by step for as long as it has its fault.
 * @param fails sends the request alone
 * @returns the simplest one found; null if the given request alone does not fail
 */
export const smallestWith = async (
  given: Intent,
  fails: (intent: Intent) => Promise<boolean>,
): Promise<Intent | null> => {
  if (!(await fails(given))) return null;
  let smallest = given;
  for (;;) {
    const next = await firstThat(fails, simpler(smallest));
    if (next === undefined) return smallest;
    smallest = next;
  }
};

const firstThat = async (
  fails: (intent: Intent) => Promise<boolean>,
  intents: readonly Intent[],
): Promise<Intent | undefined> => {
  for (const intent of intents) if (await fails(intent)) return intent;
  return undefined;
};

/** Simpler variants of an intent, each with one part reset to its usual value, left out or halved. */
const simpler = (intent: Intent): Intent[] => {
  const { body, headers, query, ids, key } = intent;
  return [
    ...(body.kind === 'valid' ? [] : [{ ...intent, body: { kind: 'valid' } as const }]),
    ...(ids === 'own' ? [] : [{ ...intent, ids: 'own' } as const]),
    ...(key === 'own' ? [] : [{ ...intent, key: 'own' } as const]),
    ...withoutEach(headers).map((fewer) => ({ ...intent, headers: fewer })),
    ...withoutEach(query).map((fewer) => ({ ...intent, query: fewer })),
    ...simplerBodies(body).map((less) => ({ ...intent, body: less })),
  ];
};

const simplerBodies = (body: Intent['body']): Intent['body'][] => {
  if (body.kind === 'text') return halves(body.text).map((text) => ({ kind: 'text', text }));
  if (body.kind !== 'schema' || typeof body.value !== 'object' || body.value === null) return [];
  if (Array.isArray(body.value)) return [];
  return withoutEach({ ...body.value }).map((value) => ({ kind: 'schema', value }));
};

const withoutEach = <T>(values: Record<string, T>): Record<string, T>[] =>
  Object.keys(values).map((name) =>
    Object.fromEntries(Object.entries(values).filter(([other]) => other !== name)),
  );

const halves = (text: string): string[] => {
  const half = Math.floor(text.length / 2);
  return half === 0 ? [] : [text.slice(0, half), text.slice(half)];
};
