import { randomBytes } from 'node:crypto';
import { PDFDocument } from 'pdf-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPage } from '@evaluation/desk/build';
import type { Result } from '@evaluation/rest-contract/schemas';
import { copyPdf, examBody } from '../fixtures/fixtures.ts';
import {
  apiClient,
  createExam,
  resultOf,
  submit,
  untilOver,
  uploadCopy,
  type ApiClient,
} from '../harness/api.ts';
import { lookBehind } from '../harness/ledger.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { textOfPages } from '../harness/pdfs.ts';
import { newEnvironment } from '../harness/service.ts';
import { makeImages, type Container, type Images } from './container.ts';

/*
 * Programs of the images run from their bundles alone, and use every file that the service reads at run time once:
 * migrations, the schema engine, PDF and OCR engines in their processes and threads, fonts. The tests depend on each
 * other's order.
 */

const secret = () => randomBytes(16).toString('hex');

let images: Images;
let settings: Record<string, string>;
let backing: Awaited<ReturnType<typeof newEnvironment>>;
let api: ApiClient;
const containers: Container[] = [];

beforeAll(async () => {
  backing = await newEnvironment({
    HOST: '127.0.0.1',
    CORE_PUBLIC_TOKEN: secret(),
    CORE_GRADING_TOKEN: secret(),
    CORE_CONTROL_TOKEN: secret(),
    ACTOR_SIGNING_KEY: secret(),
    GRADER: 'baseline',
  });
  settings = backing.environment;
  await buildPage(() => {});
  images = await makeImages(['facade', 'desk', 'core', 'worker', 'migrate']);
});

afterAll(async () => {
  await images?.close();
  await backing?.drop();
});

const started = async (image: 'facade' | 'desk' | 'core' | 'worker'): Promise<string> => {
  const container = images.run(image, 'main.js', [], settings);
  containers.push(container);
  return container.ready;
};

test('migrate brings an empty database up to date, prints what it did, and does nothing the second time', async () => {
  const behind = lookBehind(backing.database);
  await behind.query('DROP SCHEMA public CASCADE');
  await behind.query('CREATE SCHEMA public AUTHORIZATION pg_database_owner');
  await behind.close();
  const [one, other] = await Promise.all(
    [1, 2].map(() => images.run('migrate', 'main.js', [], settings).ended),
  );
  const outputs = [one?.stdout, other?.stdout].map((text) => text?.trim().split('\n') ?? []);
  const [worked = [], waited = []] = outputs.toSorted((a, b) => b.length - a.length);
  expect([one?.code, other?.code]).toEqual([0, 0]);
  expect(worked[0]).toMatch(/^applied migration \d{14}_tables$/);
  const applied = worked.filter((line) => line.startsWith('applied migration '));
  expect(worked.at(-1)).toBe(`applied ${applied.length}`);
  expect(waited).toEqual(['nothing to apply: the database is up to date']);
});

test('a failing migrate exits with 1 and a sentence without the password', async () => {
  const wrong = new URL(settings['DATABASE_URL'] ?? '');
  wrong.password = 'hidden-word';
  const outcomes = await Promise.all(
    [{}, { DATABASE_URL: wrong.href }].map((env) => images.run('migrate', 'main.js', [], env).ended),
  );
  expect(outcomes.map(({ code }) => code)).toEqual([1, 1]);
  expect(outcomes[0]?.stderr).toMatch(/^Settings that need attention:\n {2}DATABASE_URL: /);
  expect(outcomes[1]?.stderr).toMatch(/password authentication failed/);
  expect(JSON.stringify(outcomes)).not.toContain('hidden-word');
});

test('core, facade and worker start as separate processes, and core’s image provisions', async () => {
  settings['CORE_URL'] = await started('core');
  const [baseUrl] = await Promise.all([started('facade'), started('worker')]);
  const provision = async (...args: string[]): Promise<Record<string, string>> => {
    const { code, stdout, stderr } = await images.run('core', 'admin.js', [...args, '--json'], settings)
      .ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const { institute_id = '' } = await provision('institute', 'create', '--name', 'School', '--credits', '9');
  const scopes = 'evaluation:read,evaluation:write';
  const { api_key = '' } = await provision('key', 'create', '--institute', institute_id, '--scopes', scopes);
  api = apiClient(baseUrl, api_key);
  expect(await api.get('/me')).toMatchObject({ status: 200 });
});

test('the desk serves its page from its image, and calls core', async () => {
  const url = await started('desk');
  const frame = await (await fetch(url)).text();
  const script = /src="(\/assets\/[^"]+)"/.exec(frame)?.[1] ?? '';
  expect((await fetch(`${url}${script}`)).headers.get('content-type')).toContain('javascript');
  const ways = await fetch(`${url}/session/ways`, { headers: { 'x-evaluation-desk': '1' } });
  expect(await ways.json()).toEqual({ password: true, oidc: null });
});

test('the facade serves its documentation, with the files of the reference', async () => {
  const { origin } = new URL(api.baseUrl);
  const page = await fetch(`${origin}/docs/reference`);
  const html = await page.text();
  expect({ status: page.status, html }).toMatchObject({ status: 200 });
  const assets = [...html.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]*)"/g)].map(([, path]) => path);
  expect(assets).toHaveLength(4);
  for (const path of assets) expect((await fetch(`${origin}${path}`)).status).toBe(200);
  expect(await (await fetch(`${origin}/docs/exams`)).text()).toContain('<h1 id="exams">Exams</h1>');
});

const graded = async (submissionId: string): Promise<Result> => {
  await untilOver(api, submissionId);
  return resultOf(api, submissionId);
};

test('a typed submission is graded', async () => {
  const exam = await createExam(api, typedExam([mcq('1'), longAnswer('2')]));
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: 'typed' },
    answers: [
      { question_label: '1', option_labels: ['B'] },
      { question_label: '2', text: 'Because of this, and because of that.' },
    ],
  });
  const { status, totals } = await graded(id);
  expect({ status, totals }).toMatchObject({ status: 'graded', totals: { awarded: 3, max: 3 } });
});

test('a scanned page is inspected, read by OCR, graded, and its checked copy drawn with the bundled fonts', async () => {
  const exam = await createExam(api, examBody('science'));
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: 'written', name: 'Žofie Ångström' },
    upload_id: await uploadCopy(api, await firstPage(copyPdf('weak'))),
  });
  const { status, questions, checked_copy } = await graded(id);
  expect({ status, checked_copy }).toMatchObject({ status: 'graded', checked_copy: { available: true } });
  const read = questions.filter(({ extracted_answer }) => extracted_answer !== null);
  expect(read.length).toBeGreaterThan(0);
  const text = (await textOfPages(await api.download(`/submissions/${id}/checked-copy`))).join('\n');
  expect(text).toContain('Žofie Ångström');
  expect(text).toContain(`Q${read[0]?.label} ${read[0]?.awarded}/${read[0]?.max}`);
});

test('SIGTERM ends each with 0, and leaves no temporary files', async () => {
  for (const container of containers) container.stop();
  const outcomes = await Promise.all(containers.map(({ ended }) => ended));
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(await images.leftBehind()).toEqual([]);
});

const firstPage = async (pdf: Uint8Array): Promise<Uint8Array> => {
  const all = await PDFDocument.load(pdf);
  const one = await PDFDocument.create();
  const [page] = await one.copyPages(all, [0]);
  if (page === undefined) throw new Error('a copy without pages');
  one.addPage(page);
  return one.save();
};
