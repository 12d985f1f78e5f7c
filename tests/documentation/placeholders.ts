/**
 * Values of a page's names, such as `<exam_id>`, in this run. A name takes its value at its first place in an answer;
 * from then on the value must be the same.
 */
export type Names = Map<string, string>;

const NAME = /<(\w+)>/g;
const WHOLE_NAME = /^<(\w+)>$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const REST = '…';

/** Replaces names by their values. @throws Error for a name that has no value yet */
export const filled = (text: string, names: Names): string =>
  text.replaceAll(NAME, (_, name: string) => {
    const value = names.get(name);
    if (value === undefined) throw new Error(`<${name}> has no value yet`);
    return value;
  });

/**
 * The answer that a page's example expects: names replaced by their values; times and omitted fields copied from the
 * actual answer. All other fields must be equal.
 */
export const expected = (example: unknown, actual: unknown, names: Names): unknown => {
  if (typeof example === 'string') return expectedText(example, actual, names);
  if (Array.isArray(example)) return expectedItems(example, actual, names);
  if (typeof example !== 'object' || example === null) return example;
  const came = typeof actual === 'object' && actual !== null ? actual : {};
  const shown = Object.entries(example).filter(([key]) => key !== REST);
  return {
    ...(REST in example ? came : {}),
    ...Object.fromEntries(
      shown.map(([key, value]) => [
        WHOLE_NAME.test(key) ? filled(key, names) : key,
        expected(value, Reflect.get(came, key), names),
      ]),
    ),
  };
};

const expectedItems = (example: readonly unknown[], actual: unknown, names: Names): unknown[] => {
  const came: unknown[] = Array.isArray(actual) ? actual : [];
  const shown = example.filter((item) => item !== REST);
  const rest = example.includes(REST) ? came.slice(shown.length) : [];
  return [...shown.map((item, index) => expected(item, came[index], names)), ...rest];
};

const expectedText = (example: string, actual: unknown, names: Names): unknown => {
  const name = WHOLE_NAME.exec(example)?.[1];
  if (name !== undefined && !names.has(name) && typeof actual === 'string') names.set(name, actual);
  if (TIMESTAMP.test(example) && typeof actual === 'string' && TIMESTAMP.test(actual)) return actual;
  return example.replaceAll(NAME, (whole, inner: string) => names.get(inner) ?? whole);
};
