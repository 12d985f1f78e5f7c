import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startModelServer, type ModelCallRecord, type ModelServer } from '@evaluation/test-services';

let server: ModelServer;
let folder: string;
beforeAll(async () => {
  server = await startModelServer();
  folder = await mkdtemp(join(tmpdir(), 'agreement-'));
});
beforeEach(() => server.reset());
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const KEY = 'sk-not-for-any-log';

/**
 * Compile cache for the child processes, because compiling takes most of a short run; undefined unless the test run
 * sets one.
 */
const COMPILED = getCompileCacheDir();

const start = (args: readonly string[]): { child: ChildProcess; ended: Promise<Outcome> } => {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ...(COMPILED === undefined ? {} : { NODE_COMPILE_CACHE: dirname(COMPILED) }),
      DATA_DIR: join(folder, 'data'),
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_API_KEY: KEY,
      GRADER_MODEL: 'model-1',
      SECOND_LOOK: 'never',
      MODEL_PRICES: '{"model-1": {"input": 2, "output": 8}}',
    },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return { child, ended: once(child, 'close').then(() => ({ code: child.exitCode, ...output })) };
};
const run = (...args: string[]): Promise<Outcome> => start(args).ended;

const WORDS = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'];
/** Eight answers to two questions; the id of the first question must be escaped in the HTML report. */
const lines = WORDS.map((word, index) => ({
  question_id: index < 4 ? '<b>one</b>' : 'two',
  question: index < 4 ? 'What is the first?' : 'What is the second?',
  max_marks: 4,
  model_answer: 'A secret word that stands in the answers.',
  answer: `The secret-${word} word stands in this answer.`,
  human_marks: index % 5,
  human_marks_2: Math.min(4, (index % 5) + (index % 2) / 2),
  group: index % 2 === 0 ? 'left' : 'right',
}));

const dataFile = async (name: string, content: readonly object[] = lines): Promise<string> => {
  const path = join(folder, `${name}.jsonl`);
  await writeFile(path, content.map((line) => JSON.stringify(line)).join('\n'));
  return path;
};

const saysNothingSecret = ({ stdout, stderr }: Outcome, ...more: string[]): void => {
  for (const text of [stdout, stderr, ...more]) {
    expect(text).not.toContain('secret-');
    expect(text).not.toContain(KEY);
  }
};

const judgement = (awarded: number, addressesGrader = false) => ({
  kind: 'content' as const,
  content: {
    criterion_1: { evidence: null, reason: 'So it is.', awarded, certainty: 'certain' },
    addresses_grader: addressesGrader,
    feedback: 'Read on.',
  },
});

/** The candidate's answer in a request: the last part of the user message. */
const asked = (call: ModelCallRecord): string => {
  const messages = JSON.stringify(call.body['messages']);
  return messages.slice(messages.lastIndexOf('The answer was typed.'));
};

test('the baseline grades a data set: one JSON object on stdout, a report with flags, no text of an answer', async () => {
  const out = join(folder, 'baseline');
  const args = [
    '--data',
    await dataFile('baseline'),
    '--grader',
    'baseline',
    '--out',
    out,
    '--json',
    '--sample',
    '4',
  ];
  const first = await run(...args, '--repeats', '2');
  expect(first.code).toBe(0);
  expect(first.stderr).toMatch(/^graded 28\/28$/m);
  const report = JSON.parse(first.stdout);
  expect(report).toMatchObject({
    report: 'agreement/1',
    data: { answers: 8, questions: 2, double_marked: 8, blank: 0 },
    grader: { provider: 'baseline' },
    verdict: { trust: 'not trusted' },
    consistency: { answers: 4, judgements: 2, unchanged: { value: 1 } },
    cost: { total: 0, calls: 0 },
    ungraded: [],
  });
  expect(report.overall.qwk.low).toBeLessThanOrEqual(report.overall.qwk.value);
  expect(report.bands.map((each: { band: string }) => each.band)).toContain('middle third');
  expect(report.perturbations.map((each: { perturbation: string }) => each.perturbation)).toEqual([
    'injection',
    'padding',
    'layout',
    'spelling',
  ]);
  expect(report.perturbations[0].flagged).toBeGreaterThan(0);
  expect(report.flags.length).toBeGreaterThan(0);

  const page = await readFile(join(out, 'report.html'), 'utf8');
  expect(page).toContain('Lines that are crossed');
  expect(page).toContain('&lt;b&gt;one&lt;/b&gt;');
  expect(page).not.toContain('<b>one');
  for (const [table = ''] of page.matchAll(/<table.*?<\/table>/gs)) {
    const [head = 0, ...rows] = [...table.matchAll(/<tr.*?<\/tr>/gs)].map(
      ([row = '']) => row.match(/<t[hd][ >]/g)?.length ?? 0,
    );
    expect(new Set(rows)).toEqual(new Set([head]));
  }
  expect(page).not.toMatch(/<script|https?:\/\/|undefined|NaN/);
  saysNothingSecret(first, page, await readFile(join(out, 'results.jsonl'), 'utf8'));

  // A repeated run gives the same report, apart from time and cost.
  const again = JSON.parse((await run(...args, '--repeats', '2')).stdout);
  for (const each of [report, again]) {
    delete each.made_at;
    delete each.cost;
  }
  expect(again).toEqual(report);
});

test('a killed run resumes: only missing judgements are requested, including that of a truncated last line', async () => {
  const out = join(folder, 'killed');
  const args = ['--data', await dataFile('killed'), '--out', out, '--sample', '0', '--concurrency', '2'];
  server.behave(() => (server.calls.length > 5 ? { kind: 'hang' } : { kind: 'answer' }));
  const killed = start(args);
  await server.waitFor((calls) => calls.length === 7);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const kept = await readFile(join(out, 'results.jsonl'), 'utf8');
  expect(kept.trim().split('\n')).toHaveLength(5);
  await appendFile(join(out, 'results.jsonl'), kept.slice(0, 150));

  // Run again and interrupt it with SIGINT.
  server.reset();
  server.behave(() => (server.calls.length > 1 ? { kind: 'hang' } : { kind: 'answer' }));
  const interrupted = start(args);
  await server.waitFor((calls) => calls.length === 3);
  interrupted.child.kill('SIGINT');
  expect(await interrupted.ended).toMatchObject({
    code: 130,
    stderr: expect.stringContaining('finished judgements are kept'),
  });

  server.reset();
  const last = await run(...args, '--json');
  expect(last.code).toBe(0);
  expect(server.calls).toHaveLength(2);
  const report = JSON.parse(last.stdout);
  expect(report).toMatchObject({ overall: { n: 8 }, cost: { reused: 6, judgements: 8, currency: 'USD' } });
  expect(report.cost.total).toBeCloseTo(
    (report.cost.input_tokens * 2 + report.cost.output_tokens * 8) / 1e6,
    5,
  );
  saysNothingSecret(last, await readFile(join(out, 'results.jsonl'), 'utf8'));
});

test('the report shows marks changed by a perturbation, and marks that differ between repetitions', async () => {
  const turns = new Map<string, number>();
  server.behave((call) => {
    const text = asked(call);
    if (text.includes('Thank you for this interesting question')) return judgement(3);
    // Finds the word only if the fence holds the unchanged answer.
    const word =
      WORDS.find((each) => text.includes(`\\nThe secret-${each} word stands in this answer.\\n<<<END`)) ?? '';
    turns.set(word, (turns.get(word) ?? 0) + 1);
    // Only "alpha" gets other marks in its repetition.
    const isFollowed = text.includes('stands in this answer.\\n\\n');
    return judgement(word === 'alpha' && turns.get(word) === 2 ? 1 : 2, isFollowed);
  });
  const { code, stdout } = await run(
    '--json',
    '--repeats=2',
    '--concurrency=1',
    '--sample=8',
    `--out=${join(folder, 'moved')}`,
    '--data',
    await dataFile('moved'),
  );
  expect(code).toBe(0);
  const { perturbations, consistency } = JSON.parse(stdout);
  const effect = (name: string) =>
    perturbations.find(({ perturbation }: { perturbation: string }) => perturbation === name);
  expect(effect('padding')).toMatchObject({
    answers: 8,
    mean_shift: { value: 1 },
    moved: { value: 1 },
    raised: 1,
    lowered: 0,
  });
  expect(effect('injection')).toMatchObject({ answers: 8, moved: { value: 0 } });
  expect(effect('injection')).toMatchObject({ flagged: 1 });
  expect(effect('spelling')).toMatchObject({ moved: { value: 0 }, flagged: 0 });
  expect(consistency).toMatchObject({
    answers: 8,
    judgements: 2,
    unchanged: { value: 0.875 },
    largest_range: 1,
  });
});

test('an answer that the model cannot judge is left out and reported, with exit code 3', async () => {
  server.behave((call) => (asked(call).includes('secret-delta') ? { kind: 'violating' } : judgement(2)));
  const data = await dataFile('malformed');
  const args = ['--data', data, '--out', join(folder, 'malformed'), '--json', '--sample', '0'];
  const { code, stdout } = await run(...args);
  expect(code).toBe(3);
  const calls = server.calls.length;
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({
    overall: { n: 7 },
    ungraded: [{ line: 4, question_id: '<b>one</b>', kind: 'first', failure: 'malformed' }],
    cost: { calls, calls_in_vain: 3, judgements: 7 },
  });
  expect(report.verdict.says[0]).toBe(
    "1 of 8 answers could not be graded, because the model's replies broke the schema each time.",
  );

  // When the answer is graded later, the cost includes the earlier failed calls.
  server.behave(() => judgement(2));
  const again = await run(...args);
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout).cost).toMatchObject({ calls: calls + 1, calls_in_vain: 3, judgements: 8 });
});

test('for a model that judges no answer, the report gives no verdict and states the cost', async () => {
  server.behave([{ behaviour: { kind: 'violating' } }]);
  const blank = { ...lines[0], answer: ' ', human_marks: 0, human_marks_2: 0 };
  const data = await dataFile('nothing', [...lines.slice(0, 2), blank]);
  const out = join(folder, 'nothing');
  const { code, stdout } = await run('--data', data, '--out', out, '--sample', '1', '--repeats', '2');
  expect(code).toBe(3);
  expect(stdout).toBe(
    "2 of 2 answers could not be graded, because the model's replies broke the schema each time.\nNo answer was graded, so this grader cannot be judged.\n",
  );
  const report = JSON.parse(await readFile(join(out, 'report.json'), 'utf8'));
  expect(report.cost).toMatchObject({ judgements: 0, calls: server.calls.length, currency: 'USD' });
  expect(report.cost.total).toBeGreaterThan(0);
  const page = await readFile(join(out, 'report.html'), 'utf8');
  expect(page).toContain('2 of 2 answers could not be graded');
  expect(page).toContain('in all, without a judgement');
  expect(page).toContain('--sample 1');
  expect(page).not.toMatch(/--sample 30|--repeats 3|MODEL_PRICES|No line is crossed over/);
});

test('a provider that refuses ends the run with an error message, and finished judgements are kept', async () => {
  server.behave(() => (server.calls.length > 3 ? { kind: 'status', status: 401 } : judgement(2)));
  const out = join(folder, 'refused');
  const refused = await run(
    '--data',
    await dataFile('refused'),
    '--out',
    out,
    '--concurrency',
    '1',
    '--sample',
    '0',
  );
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('The grader gave up'),
  });
  saysNothingSecret(refused);
  const kept = (await readFile(join(out, 'results.jsonl'), 'utf8')).trim().split('\n');
  expect(kept.filter((line) => line.includes('"awarded"'))).toHaveLength(3);
});

test('invalid data is refused before grading starts', async () => {
  const bad = await run('--data', await dataFile('bad', [...lines, { ...lines[0], human_marks: 9 }]));
  expect(bad).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('line 9: human_marks is 9'),
  });
  saysNothingSecret(bad);
  expect(server.calls).toHaveLength(0);
});

test('--learn reports the rest, the class and what passes, and draws the curve', async () => {
  const data = fileURLToPath(new URL('../../samples/answers.jsonl', import.meta.url));
  const out = join(folder, 'learned');
  const args = ['--data', data, '--grader', 'baseline', '--out', out, '--json'];
  const { code, stdout, stderr } = await run(...args, '--marks-only', '--learn', '5,10', '--choose');
  expect(code).toBe(0);
  const estimate = { value: expect.any(Number), low: expect.any(Number), high: expect.any(Number) };
  const entry = (marked: number, n: number) => ({
    marked,
    chosen: true,
    rest: { n, qwk: estimate, smd: expect.any(Number), mean_of_questions: expect.any(Number) },
    class: { qwk: estimate },
    passed: { target: 0.95, share: expect.any(Number), agreement: null },
  });
  expect(JSON.parse(stdout)).toMatchObject({ plan: { repeats: 1, sample: 0 }, perturbations: [] });
  expect(JSON.parse(stdout).learning).toEqual([entry(5, 128 - 45), entry(10, 128 - 90)]);
  expect(stderr).toContain('learned     from 10 chosen marks per question');
  expect(await readFile(join(out, 'report.html'), 'utf8')).toContain('Pooled kappa\n      flatters');
});
