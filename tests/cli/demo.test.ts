import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { startModelServer } from '@evaluation/test-services/model';
import { expect, test, vi } from 'vitest';
import { findInstallation } from '@evaluation/platform/installation';
import type { ExamCreate } from '@evaluation/rest-contract';
import { closedAfterTests, folderForTests } from '@evaluation/test-services';
import { copyPdf, examBody, typedSamples } from '../fixtures/fixtures.ts';
import { blankPdf } from '../harness/pdfs.ts';
import { newEnvironment, startService } from '../harness/service.ts';
import { runProgram, startProgram, type Outcome } from './program.ts';
import { openTerminal } from './terminal.ts';

const service = closedAfterTests(await startService());
/** DATA_DIR alone, as for a person who runs `npm start`. */
const here = { DATA_DIR: service.environment['DATA_DIR'] ?? '' };
const terminal = closedAfterTests(await openTerminal('demo', here));
const folder = await folderForTests('demo-');

const demo = (...args: string[]): Promise<Outcome> => terminal.run(args);

const fileWith = async (name: string, content: object): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, Buffer.isBuffer(content) ? content : JSON.stringify(content));
  return path;
};

const pagesOf = async (pdf: Uint8Array): Promise<number> => {
  const pdfium = await PDFiumLibrary.init();
  try {
    const document = await pdfium.loadDocument(pdf);
    const pages = document.getPageCount();
    document.destroy();
    return pages;
  } finally {
    pdfium.destroy();
  }
};

const rowOf = (stdout: string, label: string): string[] | undefined =>
  stdout
    .split('\n')
    .map((line) => line.split('│').map((cell) => cell.trim()))
    .find((cells) => cells[1] === label)
    ?.slice(1, -1);

/** Ids and the data folder as in the README. */
const asInReadme = (line: string): string =>
  line.replaceAll(`${here.DATA_DIR}/`, '.data/').replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, 'ID');

/** How often progress is reported depends on the machine: of these lines only the form and the last are compared. */
const PROGRESS =
  /^progress {4}strong\.pdf: (queued, next|processing|reading|grading|graded), \d+\/12 questions$/;

/** Lines of the README's sample that this output does not have, in order. */
const notAsInReadme = async (stdout: string): Promise<string[]> => {
  const readme = await readFile(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
  const sample =
    /saves the checked copy under `\.data\/demo\/`:\n\n```\n(.*?)```/s.exec(readme)?.[1] ?? 'no sample';
  const said = stdout.split('\n').map(asInReadme);
  let next = 0;
  return sample
    .trim()
    .split('\n')
    .filter((line) => line !== '...' && (!PROGRESS.test(line) || line.includes(': graded,')))
    .filter((line) => {
      const found = said.indexOf(asInReadme(line), next);
      if (found !== -1) next = found + 1;
      return found === -1;
    });
};

test(
  'without options the demo marks both samples: a table each, the charge, and the checked copy as a longer PDF',
  { timeout: 240_000 },
  async () => {
    const { code, stdout, stderr } = await runProgram('demo', [], here);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });

    expect(await notAsInReadme(stdout)).toEqual([]);

    const [, science = '', history = ''] = stdout.split(/^(?=Class X )/m);
    for (const { label, max_marks } of examBody('science').questions ?? []) {
      expect(rowOf(science, label)?.[1]).toMatch(new RegExp(`^[\\d.]+ / ${max_marks}$`));
    }
    const pages = await pagesOf(copyPdf('strong'));
    expect(science).toMatch(/^Total: [\d.]+ \/ 30 /m);
    expect(science).toContain(`Credits charged: ${pages}\n`);
    const saved = /^Checked copy saved: (.+)$/m.exec(science)?.[1] ?? '';
    expect(saved.startsWith(join(service.environment['DATA_DIR'] ?? '', 'demo/'))).toBe(true);
    expect(await pagesOf(await readFile(saved))).toBeGreaterThan(pages);

    const [{ expected }] = typedSamples();
    for (const [label, marks] of Object.entries(expected.objective)) {
      expect(rowOf(history, label)).toEqual([label, `${marks} / ${marks}`, 'auto', '–', 'no', '']);
    }
    for (const label of Object.keys(expected.long_answers)) {
      expect(rowOf(history, label)?.slice(2, 5)).toEqual(['ai', expect.stringMatching(/^0\.\d\d$/), 'yes']);
    }
    expect(history).toContain(`Credits charged: ${expected.non_blank_long_answers}\n`);

    // The page of each exam at the desk, and who may sign in there.
    const { desk } = (await findInstallation(here.DATA_DIR)) ?? {};
    expect(stdout.match(/ at the desk, .*: (.+)$/gm)).toEqual(
      [1, 2].map(() => expect.stringMatching(new RegExp(`: ${desk?.url}/exams/[0-9a-f-]{36}$`))),
    );
    expect(stdout).toContain(`Sign in there as ${desk?.email} with the password in `);

    // The output names the baseline as the grader.
    expect(stdout).toContain('no AI model was asked');
    expect(stdout).toContain('GRADER=openai');
    // The output is not a terminal: a line for each step, no cursor control, and tables of at most 100 columns.
    expect(stdout).toMatch(/^progress {4}strong\.pdf: .*12\/12 questions$/m);
    expect(stdout).not.toContain('\u001b');
    for (const line of stdout.split('\n').filter((text) => /^[│├┌└]/.test(text)))
      expect(line.length).toBe(100);
  },
);

const ownExam: ExamCreate = {
  title: 'My own paper',
  mode: 'typed',
  external_ref: 'my-own-paper',
  questions: [
    { label: '1', type: 'numeric', text: 'Two and two?', max_marks: 2, answer: [4, 4.0] },
    {
      label: '2',
      type: 'mcq_single',
      text: 'Which is red?',
      max_marks: 1,
      options: [
        { label: 'A', text: 'Grass' },
        { label: 'B', text: 'Blood' },
      ],
      correct_options: ['B'],
    },
  ],
  candidates: [{ external_id: 'MINE-1', name: 'Meera Shah' }],
};

test('a file of --exam can be marked repeatedly, with its own candidate and its key as answers', async () => {
  const exam = await fileWith('own.json', ownExam);
  for (const run of [1, 2]) {
    const { code, stdout, stderr } = await demo('--exam', exam);
    expect({ run, code, stderr }).toEqual({ run, code: 0, stderr: '' });
    expect(stdout).toContain('My own paper — Meera Shah');
    expect(stdout).toContain('Total: 3 / 3 (100 %)');
    expect(stdout).toContain('Credits charged: 0');
    expect(stdout).not.toContain('no AI model was asked');
    expect(stdout.includes('exists already')).toBe(run === 2);
  }
});

test('the answers of --answers are graded', async () => {
  const exam = await fileWith('answered.json', { ...ownExam, external_ref: null });
  const answers = await fileWith('answers.json', [{ question_label: '1', text: '5' }]);
  const { code, stdout } = await demo('--exam', exam, '--answers', answers);
  expect(code).toBe(0);
  expect(rowOf(stdout, '1')?.[1]).toBe('0 / 2');
  expect(rowOf(stdout, '2')?.slice(1)).toEqual(['0 / 1', '–', '–', 'no', 'not answered']);
});

test('errors of an exam file are printed field by field, and the exit code is 1', async () => {
  const [first] = ownExam.questions ?? [];
  const exam = await fileWith('broken.json', {
    ...ownExam,
    title: 'Less < more',
    questions: [{ ...first, max_marks: 1.3 }, { label: '2' }],
  });
  const { code, stderr } = await demo('--exam', exam);
  expect(code).toBe(1);
  expect(stderr).toContain('validation_failed');
  expect(stderr).toMatch(/^ {2}title +invalid_characters: /m);
  expect(stderr).toMatch(/^ {2}questions\[0\]\.max_marks +invalid_step: /m);
  expect(stderr).toMatch(/^ {2}questions\[1\]\.text +required: /m);
  expect(stderr).not.toContain('    at ');
});

const require = createRequire(import.meta.url);
const sample = (path: string): string => require.resolve(`@evaluation/samples/${path}`);
const fixture = (path: string): string => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));

test('a rejected copy is reported with the reason, and the exit code is 1', async () => {
  const encrypted = await demo('--copy', fixture('bad/encrypted.pdf'));
  expect(encrypted.code).toBe(1);
  expect(encrypted.stderr).toMatch(/^error: The copy encrypted\.pdf was rejected: .*password/);
  const tooLong = await demo('--copy', fixture('bad/pages-81.pdf'));
  expect(tooLong.code).toBe(1);
  expect(tooLong.stderr).toContain('too_many_pages');
});

test('a grading failure is reported with its code, and the exit code is 1', async () => {
  const { code, stdout, stderr } = await demo('--copy', await fileWith('blank.pdf', blankPdf()));
  expect({ code, stdout }).toMatchObject({ code: 1 });
  expect(stderr).toMatch(/^error: blank\.pdf: grading ended as failed: copy_unreadable: /);
  expect(stdout).not.toContain('Credits charged');
});

test.each<[what: string, args: string[], exitCode: number, says: string]>([
  ['a file that is not there', ['--exam', '/nonexistent.json'], 1, 'There is no file /nonexistent.json'],
  ['a folder instead of a file', ['--copy', fixture('bad')], 1, 'EISDIR'],
  ['a file that is not JSON', ['--exam', fixture('bad/not-a-pdf.pdf')], 1, 'is not valid JSON'],
  [
    'a copy for a typed exam',
    ['--exam', sample('exams/history-typed.json'), '--copy', 'x.pdf'],
    2,
    'typed exam',
  ],
  ['answers without an exam', ['--answers', 'x.json'], 2, '--exam'],
  ['an option that does not exist', ['--paper', 'x.json'], 2, '--paper'],
])('the demo refuses %s in one sentence', async (_what, args, exitCode, says) => {
  const { code, stdout, stderr } = await demo(...args);
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  expect(stderr).toContain(says);
  expect(stderr).not.toContain('    at ');
});

test('the program exits with the exit code of its command and prints the command’s output', async () => {
  for (const [code, ...args] of [
    [1, '--exam', '/nonexistent.json'],
    [2, '--paper', 'x.json'],
  ] as const) {
    const outcome = await runProgram('demo', args, here);
    expect(outcome.code).toBe(code);
    expect(outcome).toEqual(await demo(...args));
  }
});

test('--help needs no service', async () => {
  const help = await runProgram('demo', ['--help'], { DATA_DIR: '/nonexistent' });
  expect(help).toMatchObject({ code: 0, stderr: '' });
  for (const option of ['--exam', '--copy', '--answers']) expect(help.stdout).toContain(`${option} <file>`);
});

test('API_URL with API_KEY selects another service; an unknown key is reported', async () => {
  const environment = { DATA_DIR: join(folder, 'elsewhere'), API_URL: service.baseUrl };
  const exam = await fileWith('elsewhere.json', { ...ownExam, external_ref: null });
  const right = await runProgram('demo', ['--exam', exam], { ...environment, API_KEY: service.api.apiKey });
  expect(right).toMatchObject({ code: 0, stderr: '' });
  const wrong = await runProgram('demo', ['--exam', exam], { ...environment, API_KEY: 'wrong' });
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('invalid_api_key');
});

const isGone = async (dataDir: string): Promise<boolean> => {
  const installation = await findInstallation(dataDir);
  return fetch(`${installation?.base_url}/me`).then(
    () => false,
    () => true,
  );
};

test(
  'without a service the demo starts one, reports that it waits for the model, and stops it at the end or when interrupted',
  { timeout: 240_000 },
  async () => {
    const { environment, drop } = await newEnvironment();
    const dataDir = environment['DATA_DIR'] ?? '';
    const model = await startModelServer();
    try {
      const exam = await fileWith('alone.json', { ...ownExam, external_ref: null });
      // Without PORT, CORE_PORT and DESK_PORT, as for a person: it takes free ports, whatever runs on the usual ones.
      const { PORT: _port, CORE_PORT: _corePort, DESK_PORT: _deskPort, ...withoutPorts } = environment;
      const whole = await runProgram('demo', ['--exam', exam], withoutPorts);
      expect(whole).toMatchObject({ code: 0, stderr: '' });
      expect(whole.stdout).toContain('No service runs on');
      const { base_url, core_url } = (await findInstallation(dataDir)) ?? {};
      for (const url of [base_url, core_url]) expect(url).not.toMatch(/:808[0-2]/);
      expect(whole.stdout).toMatch(/while `npm start` runs: http:\/\/127\.0\.0\.1:8082\/exams\//);
      expect(whole.stdout).toContain('Total: 3 / 3');
      expect(await isGone(dataDir)).toBe(true);

      model.behave([{ behaviour: { kind: 'status', status: 401 } }]);
      const interrupted = startProgram('demo', ['--copy', sample('copies/weak.pdf')], {
        ...environment,
        LOG_LEVEL: 'warn',
        GRADER: 'openai',
        MODEL_PREFLIGHT: 'on',
        OPENAI_BASE_URL: model.baseUrl,
        GRADER_MODEL: 'm',
      });
      const hasSaid = (line: RegExp) => line.test(interrupted.output());
      await vi.waitUntil(() => hasSaid(/^progress /m) && hasSaid(/^model {7}.*: refused: /m), {
        timeout: 100_000,
        interval: 100,
      });
      // Once for each lane, however many checks there were.
      expect(interrupted.output().match(/^model .*copy lane.*$/gm)).toHaveLength(1);
      interrupted.child.kill('SIGINT');
      expect((await interrupted.ended).code).toBe(130);
      expect(await isGone(dataDir)).toBe(true);
    } finally {
      await drop();
      await model.close();
    }
  },
);

test('a service that cannot start is reported with its own message', async () => {
  const dataDir = join(folder, 'unstartable');
  await mkdir(dataDir);
  const outcome = await runProgram('demo', [], { DATA_DIR: dataDir, CORE_PORT: 'x' });
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toContain('The service could not be started');
  expect(outcome.stderr).toContain('CORE_PORT');
  expect(await readdir(dataDir)).toEqual([]);
});
