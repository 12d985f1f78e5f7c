/*
 * Requests of `docs/api` as code. Each is one call of the function `call` that docs/api/languages.md defines in its
 * language; curl needs none. `<exam_id>` is the variable of that name.
 */

export const LANGUAGES = ['curl', 'Python', 'TypeScript', 'Java', 'Go'] as const;
export type Language = (typeof LANGUAGES)[number];

export interface SampleRequest {
  method: string;
  /** Below the base address, with its query. */
  path: string;
  headers: [string, string][];
  /** JSON text; empty for none. */
  body: string;
}

const COMMAND =
  /^curl -s (?:-X (\w+) )?"\$BASE([^"]*)" -H "X-API-Key: \$KEY"(?: -H 'Content-Type: application\/json' -d '([^']*)')?$/;

/** The request of a block of a page; null for a block that is none, or that does not go to the API. */
export const requestIn = (language: string, text: string): SampleRequest | null => {
  if (language === 'sh') {
    const command = COMMAND.exec(text.trim());
    if (command === null) return null;
    const [, method, path = '', body = ''] = command;
    const named = path.replaceAll(/\$(\w+)/g, (_, name: string) => `<${name.toLowerCase()}>`);
    return { method: method ?? (body === '' ? 'GET' : 'POST'), path: named, headers: [], body };
  }
  if (language !== 'http request') return null;
  const [head = '', ...rest] = text.split('\n\n');
  const [first = '', ...lines] = head.split('\n');
  const [method = '', path = ''] = first.split(' ');
  if (!path.startsWith('/v1')) return null;
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { method, path: path.slice('/v1'.length), headers, body: rest.join('\n\n').trim() };
};

const NAME = /<(\w+)>/g;
const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(NAME)].map(([, name = '']) => name)),
];

const quoted = JSON.stringify;

/** `"/exams/" + examId` for Java and Go. */
const joined = (text: string): string =>
  text
    .split(/(<\w+>)/)
    .filter((part) => part !== '')
    .map((part) => (/^<\w+>$/.test(part) ? camel(part.slice(1, -1)) : quoted(part)))
    .join(' + ');

const writers: Readonly<Record<Language, (request: SampleRequest) => string>> = {
  curl: ({ method, path, headers, body }) => {
    const inShell = (text: string) => text.replaceAll(NAME, (_, name: string) => `$${name.toUpperCase()}`);
    const ownKey = headers.some(([name]) => name === 'X-API-Key');
    return [
      `curl -s -X ${method} "$BASE${inShell(path)}"`,
      ...(ownKey ? [] : ['-H "X-API-Key: $KEY"']),
      ...headers.map(([name, value]) => `-H "${name}: ${inShell(value)}"`),
      ...(body === ''
        ? []
        : [
            `-H 'Content-Type: application/json'`,
            `-d '${body.replaceAll("'", `'\\''`).replaceAll(NAME, (_, name: string) => `'"$${name.toUpperCase()}"'`)}'`,
          ]),
    ].join(' \\\n  ');
  },

  Python: ({ method, path, headers, body }) => {
    const text = (given: string) =>
      namesIn(given).length > 0 ? `f${quoted(given.replaceAll(NAME, '{$1}'))}` : quoted(given);
    const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
    const value = body.replaceAll(/"(?:[^"\\]|\\.)*"|\btrue\b|\bfalse\b|\bnull\b/g, (token) => {
      const name = /^"<(\w+)>"$/.exec(token)?.[1];
      return name ?? words[token] ?? token;
    });
    return callOf('', [quoted(method), text(path), value, dictionary(headers, text, '{', '}')], 'None');
  },

  TypeScript: ({ method, path, headers, body }) => {
    const text = (given: string) =>
      namesIn(given).length === 0
        ? `'${given.replaceAll("'", "\\'")}'`
        : `\`${given.replaceAll(NAME, (_, name: string) => `\${${camel(name)}}`)}\``;
    const value = body.replaceAll(/"<(\w+)>"(\s*:)?/g, (_, name: string, colon?: string) =>
      colon === undefined ? camel(name) : `[${camel(name)}]${colon}`,
    );
    return callOf(
      'const answer = await ',
      [text(method), text(path), value, dictionary(headers, text, '{', '}')],
      'null',
    );
  },

  Java: ({ method, path, headers, body }) => {
    const block = `"""\n${body.replaceAll('\\', '\\\\')}"""`;
    const value = namesIn(body).reduce((made, name) => `${made}.replace("<${name}>", ${camel(name)})`, block);
    const given = headers.map(([name, header]) => `${quoted(name)}, ${joined(header)}`).join(', ');
    return `${callOf('var answer = ', [quoted(method), joined(path), body === '' ? '' : value, given === '' ? '' : `Map.of(${given})`], 'null', 4)};`;
  },

  Go: ({ method, path, headers, body }) => {
    if (body.includes('`')) throw new Error('a raw string of Go holds no backtick');
    const value = namesIn(body).reduce(
      (made, name) => `strings.ReplaceAll(${made}, "<${name}>", ${camel(name)})`,
      `\`${body}\``,
    );
    const given = dictionary(headers, joined, 'map[string]string{', '}');
    return callOf(
      'answer, err := ',
      [quoted(method), joined(path), body === '' ? '' : value, given],
      'nil',
      4,
      '""',
    );
  },
};

const dictionary = (
  headers: SampleRequest['headers'],
  text: (given: string) => string,
  open: string,
  close: string,
): string =>
  headers.length === 0
    ? ''
    : `${open}${headers.map(([name, value]) => `${quoted(name)}: ${text(value)}`).join(', ')}${close}`;

/** A call with its arguments; absent ones at the end are left out, unless the language needs `least` of them. */
const callOf = (before: string, given: readonly string[], none: string, least = 0, noBody = none): string => {
  const last = given.findLastIndex((argument) => argument !== '');
  const shown = given
    .slice(0, Math.max(last + 1, least))
    .map((argument, index) => (argument === '' ? (index === 2 ? noBody : none) : argument));
  return `${before}call(${shown.join(', ')})`;
};

/** The request in a language. */
export const sampleOf = (language: Language, request: SampleRequest): string =>
  language === 'Python' ? `answer = ${writers.Python(request)}` : writers[language](request);
