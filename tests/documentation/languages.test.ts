import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listenHere } from '../harness/listenHere.ts';
import { requestIn, sampleOf, type Language, type SampleRequest } from '@evaluation/rest-contract/samples';

/*
 * Every request of docs/api as code. A recording server compares what each language sends with the request of the page,
 * which apiPages.test.ts sends to the service. A language that is not on this machine is skipped.
 */

const FOLDER = join(import.meta.dirname, '../../docs/api');
const BLOCK = /```([^\n]*)\n([^]*?)\n```/g;
const pages = await Promise.all((await readdir(FOLDER)).map((name) => readFile(join(FOLDER, name), 'utf8')));
const requests = pages.flatMap((page) =>
  [...page.matchAll(BLOCK)].flatMap(([, language = '', text = '']) => requestIn(language, text) ?? []),
);
const languages = await readFile(join(FOLDER, 'languages.md'), 'utf8');
const helperOf = (language: string): string => {
  const block = [...languages.matchAll(BLOCK)].find(([, name]) => name === language)?.[2];
  if (block === undefined) throw new Error(`no ${language} on the page`);
  return block;
};

const NAMES = [
  ...new Set(
    requests
      .flatMap((request) => [...JSON.stringify(request).matchAll(/<(\w+)>/g)])
      .map(([, name = '']) => name),
  ),
];
const valueOf = (name: string): string => `value-of-${name}`;
const filled = (text: string): string => text.replaceAll(/<(\w+)>/g, (_, name: string) => valueOf(name));
const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

interface Recorded {
  method: string;
  path: string;
  key: string;
  headers: [string, string | undefined][];
  body: unknown;
}
const PAGE_HEADERS = ['if-match'];
const recordOf = ({ method, path, headers, body }: SampleRequest): Recorded => {
  const given = new Map(headers.map(([name, value]) => [name.toLowerCase(), filled(value)]));
  return {
    method,
    path: filled(path),
    key: given.get('x-api-key') ?? 'the-key',
    headers: PAGE_HEADERS.map((name) => [name, given.get(name)]),
    body: body === '' ? null : JSON.parse(filled(body)),
  };
};

let recorded: (Recorded & { idempotencyKey: string | undefined })[] = [];
let failures = 0;
const record = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await textOf(request);
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  recorded.push({
    method: request.method ?? '',
    path: (request.url ?? '').replace(/^\/v1/, ''),
    key: header('x-api-key') ?? '',
    headers: PAGE_HEADERS.map((name) => [name, header(name)]),
    body: body === '' ? null : JSON.parse(body),
    idempotencyKey: header('idempotency-key'),
  });
  response.setHeader('content-type', 'application/json');
  const refuse = (status: number, code: string) =>
    response
      .writeHead(status, { 'Retry-After': '0' })
      .end(JSON.stringify({ error: { code, message: 'A message.' } }));
  if (request.url === '/v1/flaky' && failures < 2) {
    failures += 1;
    if (failures === 1) refuse(503, 'service_unavailable');
    else refuse(429, 'rate_limited');
  } else if (request.url === '/v1/quota') refuse(429, 'daily_quota_exceeded');
  else response.end('{}');
};
const server = createServer((request, response) => void record(request, response));
let base = '';
let folder = '';
beforeAll(async () => {
  base = `http://127.0.0.1:${await listenHere(server)}/v1`;
  folder = await mkdtemp(join(tmpdir(), 'languages-'));
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  recorded = [];
  failures = 0;
});

const run = (program: string, args: readonly string[]): Promise<{ code: unknown; output: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, BASE: base, KEY: 'the-key' };
    execFile(program, [...args], { cwd: folder, env }, (failure, stdout, stderr) =>
      resolve({ code: failure?.code ?? 0, output: stdout + stderr }),
    );
  });

const all = (language: Language, each: (code: string) => string = (code) => code): string =>
  requests.map((request) => each(sampleOf(language, request))).join('\n');
const FLAKY: SampleRequest = { method: 'POST', path: '/flaky', headers: [], body: '{"a": 1}' };
const QUOTA: SampleRequest = { method: 'POST', path: '/quota', headers: [], body: '' };

/** Each program sends all requests of the pages, one that is refused twice, and one that is refused for good. */
const programs: Record<
  Language,
  () => Promise<{ program: string; args: string[]; file: string; text: string }>
> = {
  curl: async () => ({
    program: 'sh',
    args: ['-e', 'all.sh'],
    file: 'all.sh',
    text: [...NAMES.map((name) => `${name.toUpperCase()}=${valueOf(name)}`), all('curl')].join('\n'),
  }),
  Python: async () => ({
    program: 'python3',
    args: ['-B', 'all.py'],
    file: 'all.py',
    text: [
      helperOf('python'),
      ...NAMES.map((name) => `${name} = "${valueOf(name)}"`),
      all('Python'),
      sampleOf('Python', FLAKY),
      'try:',
      `    ${sampleOf('Python', QUOTA)}`,
      'except Refused as refused:',
      '    print(refused.error["code"])',
    ].join('\n'),
  }),
  TypeScript: async () => ({
    program: process.execPath,
    args: ['all.ts'],
    file: 'all.ts',
    text: [
      helperOf('ts'),
      ...NAMES.map((name) => `const ${camel(name)} = '${valueOf(name)}';`),
      all('TypeScript', (code) => `{ ${code}; }`),
      `{ ${sampleOf('TypeScript', FLAKY)}; }`,
      `try { ${sampleOf('TypeScript', QUOTA)}; } catch (error) { console.log(error.error.code); }`,
    ].join('\n'),
  }),
  Java: async () => ({
    program: 'java',
    args: ['Example.java'],
    file: 'Example.java',
    text: [
      helperOf('java').replace(/\}\s*$/, ''),
      'public static void main(String[] args) throws Exception {',
      ...NAMES.map((name) => `var ${camel(name)} = "${valueOf(name)}";`),
      all('Java', (code) => `{ ${code} }`),
      `{ ${sampleOf('Java', FLAKY)} }`,
      `try { ${sampleOf('Java', QUOTA)} } catch (IllegalStateException error) { System.out.println(error.getMessage()); }`,
      '}',
      '}',
    ].join('\n'),
  }),
  Go: async () => ({
    program: 'go',
    args: ['run', 'all.go'],
    file: 'all.go',
    text: [
      helperOf('go'),
      'func must(answer map[string]any, err error) {',
      '\tif err != nil {',
      '\t\tpanic(err)',
      '\t}',
      '}',
      'func main() {',
      ...NAMES.map((name) => `${camel(name)} := "${valueOf(name)}"\n_ = ${camel(name)}`),
      all('Go', (code) => `{\n${code}\nmust(answer, err)\n}`),
      `{\n${sampleOf('Go', FLAKY)}\nmust(answer, err)\n}`,
      `{\n${sampleOf('Go', QUOTA)}\n_ = answer\nfmt.Println(err)\n}`,
      '}',
    ].join('\n'),
  }),
};

const isHere: Record<Language, boolean> = {
  curl: spawnSync('curl', ['--version']).status === 0,
  Python: spawnSync('python3', ['--version']).status === 0,
  TypeScript: true,
  Java: spawnSync('java', ['--version']).status === 0,
  Go: spawnSync('go', ['version']).status === 0,
};

for (const language of ['curl', 'Python', 'TypeScript', 'Java', 'Go'] as const)
  test.skipIf(!isHere[language])(
    `${language} sends each request of docs/api as the page has it (skipped without ${language})`,
    { timeout: 120_000 },
    async () => {
      expect(requests.length).toBeGreaterThan(60);
      const { program, args, file, text } = await programs[language]();
      await writeFile(join(folder, file), text);
      const { code, output } = await run(program, args);
      expect([code, output]).toEqual([0, expect.any(String)]);
      const plain = recorded.filter(({ path }) => path !== '/flaky' && path !== '/quota');
      expect(
        plain.map(({ method, path, key, headers, body }) => ({ method, path, key, headers, body })),
      ).toEqual(requests.map(recordOf));
      const ownKeys = requests.map(
        ({ headers }) => headers.find(([name]) => name === 'Idempotency-Key')?.[1],
      );
      plain.forEach(({ idempotencyKey }, index) => {
        if (ownKeys[index] !== undefined) expect(idempotencyKey).toBe(ownKeys[index]);
      });
      if (language === 'curl') return;
      const flaky = recorded.filter(({ path }) => path === '/flaky');
      expect(flaky.map(({ body }) => body)).toEqual([{ a: 1 }, { a: 1 }, { a: 1 }]);
      expect(new Set(flaky.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
      expect(flaky[0]?.idempotencyKey).toBeDefined();
      expect(recorded.filter(({ path }) => path === '/quota')).toHaveLength(1);
      expect(output).toContain('daily_quota_exceeded');
    },
  );
