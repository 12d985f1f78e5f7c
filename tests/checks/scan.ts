/**
 * Finds the imports of a source file by its tokens. Comments, strings, template texts and regular expressions are
 * recognized, so an import written inside one of them does not count. Covers only the TypeScript syntax that this
 * needs.
 */
export interface Import {
  specifier: string;
  line: number;
  /** The whole statement is `import type` or `export type`; it does not exist at run time. */
  typeOnly: boolean;
  /** Names between the braces, before any `as`. */
  names: readonly string[];
}

interface Scan {
  imports: readonly Import[];
  environmentLines: readonly number[];
}

interface Token {
  kind: 'word' | 'text' | 'mark';
  value: string;
  line: number;
}

export const scan = (source: string): Scan => {
  const tokens = tokensOf(source);
  const imports = tokens.flatMap((_, at) => importAt(tokens, at) ?? []);
  const fromProcess = imports.filter(
    ({ specifier, names }) => /^(node:)?process$/.test(specifier) && names.includes('env'),
  );
  const environmentLines = [
    ...tokens.filter((_, at) => readsEnvironment(tokens, at)).map(({ line }) => line),
    ...fromProcess.map(({ line }) => line),
  ];
  return { imports, environmentLines };
};

const is = (token: Token | undefined, kind: Token['kind'], value?: string): boolean =>
  token?.kind === kind && (value === undefined || token.value === value);

const importAt = (tokens: readonly Token[], at: number): Import | null => {
  const token = tokens[at];
  if (token === undefined || token.kind !== 'word' || isProperty(tokens, at)) return null;
  if (token.value === 'import') return calledAt(tokens, at) ?? declaredAt(tokens, at);
  if (token.value === 'require') return calledAt(tokens, at);
  return token.value === 'export' ? reExportedAt(tokens, at) : null;
};

/** `{ import: 1 }` and `a.import` are properties, not imports. */
const isProperty = (tokens: readonly Token[], at: number): boolean =>
  is(tokens[at - 1], 'mark', '.') || is(tokens[at + 1], 'mark', ':');

const calledAt = (tokens: readonly Token[], at: number): Import | null => {
  const specifier = tokens[at + 2];
  if (!is(tokens[at + 1], 'mark', '(') || specifier?.kind !== 'text') return null;
  return { specifier: specifier.value, line: specifier.line, typeOnly: false, names: [] };
};

/** `import 'x'`, `import … from 'x'`, `import type … from 'x'`. */
const declaredAt = (tokens: readonly Token[], at: number): Import | null => {
  const next = tokens[at + 1];
  if (next === undefined) return null;
  if (next.kind === 'text') return { specifier: next.value, line: next.line, typeOnly: false, names: [] };
  if (next.kind === 'mark' && next.value !== '{' && next.value !== '*') return null;
  // `import type from 'x'` imports a default that is called `type`.
  const typeOnly = is(next, 'word', 'type') && !is(tokens[at + 2], 'word', 'from');
  return clauseFrom(tokens, typeOnly ? at + 2 : at + 1, typeOnly);
};

/** `export * from 'x'`, `export { … } from 'x'`, and both with `type`. */
const reExportedAt = (tokens: readonly Token[], at: number): Import | null => {
  const typeOnly = is(tokens[at + 1], 'word', 'type');
  const start = typeOnly ? at + 2 : at + 1;
  const opens = is(tokens[start], 'mark', '*') || is(tokens[start], 'mark', '{');
  return opens ? clauseFrom(tokens, start, typeOnly) : null;
};

/** Reads a clause up to `from 'x'`; null if the clause ends without it, as `export { a }` does. */
const clauseFrom = (tokens: readonly Token[], start: number, typeOnly: boolean): Import | null => {
  const names: string[] = [];
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    const next = tokens[at + 1];
    if (token === undefined) return null;
    if (is(token, 'word', 'from') && next?.kind === 'text') {
      return { specifier: next.value, line: next.line, typeOnly, names };
    }
    if (token.kind === 'text' || !/^(?:[{},*]|[\w$]+)$/.test(token.value)) return null;
    if (token.kind === 'word' && !is(tokens[at - 1], 'word', 'as')) names.push(token.value);
    if (token.value === '}' && !is(next, 'word', 'from')) return null;
  }
  return null;
};

const readsEnvironment = (tokens: readonly Token[], at: number): boolean => {
  if (!is(tokens[at], 'word', 'process')) return false;
  const rest = tokens.slice(at + 1, at + 4).filter(({ value }) => value !== '?');
  if (is(rest[0], 'mark', '.') && is(rest[1], 'word', 'env')) return true;
  if (is(rest[0], 'mark', '[') && is(rest[1], 'text', 'env')) return true;
  // `const { env } = process`
  if (!is(tokens[at - 1], 'mark', '=') || !is(tokens[at - 2], 'mark', '}')) return false;
  const opening = tokens.slice(0, at).findLastIndex(({ value }) => value === '{');
  return tokens.slice(opening, at).some((token) => is(token, 'word', 'env'));
};

const tokensOf = (source: string): Token[] => {
  const tokens: Token[] = [];
  let line = 1;
  let at = 0;
  /** Number of open braces inside each open `${`. */
  const substitutions: number[] = [];

  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    if (found === undefined) return null;
    at += found.length;
    return found;
  };
  const push = (kind: Token['kind'], value: string, text = value) => {
    tokens.push({ kind, value, line });
    line += text.split('\n').length - 1;
  };

  while (at < source.length) {
    const blank = take(/(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/|#![^\n]*)+/y);
    if (blank !== null) {
      line += blank.split('\n').length - 1;
      continue;
    }
    const word = take(/[\p{ID_Start}$_#\d][\p{ID_Continue}$]*/uy);
    if (word !== null) {
      push('word', word);
      continue;
    }
    const quoted = take(/'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*"/y);
    if (quoted !== null) {
      push('text', quoted.slice(1, -1), quoted);
      continue;
    }
    if (regexMayStart(tokens) && source[at] === '/') {
      const regex = take(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y);
      if (regex !== null) {
        push('mark', 'regex', regex);
        continue;
      }
    }
    const mark = source[at] ?? '';
    const depth = substitutions.at(-1);
    const resumes = mark === '}' && depth === 0;
    if (mark === '`' || resumes) {
      at += 1;
      if (resumes) substitutions.pop();
      const text = take(/(?:\\[^]|\$(?!\{)|[^`\\$])*/y) ?? '';
      push(resumes ? 'mark' : 'text', text);
      if (take(/\$\{/y) !== null) {
        // A substitution follows, so the template is not a literal module name.
        tokens[tokens.length - 1] = { kind: 'mark', value: 'template', line };
        substitutions.push(0);
      } else at += 1;
      continue;
    }
    if (depth !== undefined && mark === '{') substitutions[substitutions.length - 1] = depth + 1;
    if (depth !== undefined && mark === '}') substitutions[substitutions.length - 1] = depth - 1;
    at += 1;
    push('mark', mark);
  }
  return tokens;
};

const BEFORE_REGEX = new Set(
  'return typeof case in of delete void throw new do else await yield instanceof'.split(' '),
);

/** A slash after a value is a division; elsewhere it opens a regular expression. */
const regexMayStart = (tokens: readonly Token[]): boolean => {
  const last = tokens.at(-1);
  if (last === undefined) return true;
  if (last.kind === 'text') return false;
  if (last.kind === 'word') return BEFORE_REGEX.has(last.value);
  return ![')', ']', 'regex', 'template'].includes(last.value);
};
