/** Problems of a request by the path of the field, such as `questions[2].rubric.criteria[0].marks`. */
export type Problems = ReadonlyMap<string, string>;

export const NO_PROBLEMS: Problems = new Map();

interface Told {
  field: string;
  message: string;
}

/** @param details `details` of a failure of the API; @param at path of what was sent, for a request about one question */
export const problemsIn = (details: unknown, at = ''): Problems => {
  const errors: unknown =
    typeof details === 'object' && details !== null ? Reflect.get(details, 'errors') : [];
  const told = Array.isArray(errors) ? errors.filter(isTold) : [];
  const found = new Map<string, string>();
  for (const { field, message } of told) {
    const path = at === '' ? field : field === '' ? at : `${at}.${field}`;
    const before = found.get(path);
    found.set(path, before === undefined ? message : `${before} ${message}`);
  }
  return found;
};

const isTold = (value: unknown): value is Told =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'field') === 'string' &&
  typeof Reflect.get(value, 'message') === 'string';
