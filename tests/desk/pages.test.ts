import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { createExam, submit, untilOver, uploadCopy } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { plainPdf } from '../harness/pdfs.ts';
import { deskSuite, expectNoAxeViolations, signIn } from './harness/deskSuite.ts';

/* The pages of a copy on the marking screen: the pictures from which it was graded (docs/desk/marking.md). */

const desk = await deskSuite();
const { api } = desk.service;
const PATIENTLY = { timeout: 20_000 };

let exam: Exam;
beforeAll(async () => {
  exam = await createExam(api, typedExam([mcq('1'), longAnswer('2')]));
});

const questionId = (label: string): string =>
  exam.questions.find((question) => question.label === label)?.id ?? '';
const newCopy = async (): Promise<string> => {
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: randomUUID() },
    answers: [
      { question_label: '1', option_labels: ['B'] },
      { question_label: '2', text: 'Because of this, I think.' },
    ],
  });
  await untilOver(api, id);
  await becomeCopyOfTwoPages(id);
  return id;
};
/** Gives a typed submission the file and the marks of a copy: grading a scan would take seconds of CPU. */
const becomeCopyOfTwoPages = async (submission: string): Promise<void> => {
  const upload = await uploadCopy(api, plainPdf(2));
  await expect
    .poll(async () => (await api.get<{ status: string }>(`/uploads/${upload}`)).body.status, PATIENTLY)
    .toBe('ready');
  await behind(desk.service.database, 'update submissions set upload_id = $2, pages = 2 where id = $1', [
    submission,
    upload,
  ]);
  const box = { x: 0.1, y: 0.1, width: 0.5, height: 0.05 };
  await behind(
    desk.service.database,
    `update question_results set annotations = $3, criteria = $4
     where question_id = $2 and run_id = (select current_run_id from submissions where id = $1)`,
    [
      submission,
      questionId('2'),
      JSON.stringify([
        { page: 2, kind: 'mark', box, text: '2: 1/2' },
        { page: 2, kind: 'tick', box, text: 'Cause' },
      ]),
      JSON.stringify([{ name: 'Cause', awarded: 1, max: 1, reason: 'It is named.', evidence: 'OF  this' }]),
    ],
  );
};
/** Has the worker draw the checked copy of the present marks, which has the pictures of the pages. */
const drawn = async (submission: string): Promise<void> => {
  await behind(
    desk.service.database,
    'insert into copy_drawings (submission_id, institute_id, wanted_at) values ($1, $2, now())',
    [submission, desk.instituteId],
  );
  const copies = () =>
    behind(
      desk.service.database,
      `select from checked_copies k join submissions s on s.id = k.submission_id and s.marks_revision = k.marks_revision
       where s.id = $1`,
      [submission],
    );
  await expect.poll(copies, PATIENTLY).toHaveLength(1);
};
/** Dark pixels of the drawn page. */
const inkOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const canvas = document.querySelector('canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let dark = 0;
    for (let index = 0; index < pixels.length; index += 4) if (pixels[index] < 128 && pixels[index + 3] > 0) dark += 1;
    return dark;
  })()`);
const open = async (page: Page, submission: string): Promise<void> => {
  await page.goto(
    `${desk.url}/exams/${exam.id}/mark?order=copy&submission=${submission}&question=${questionId('2')}`,
  );
  await page.getByRole('heading', { level: 2, name: 'Question 2' }).waitFor();
};
const pageRegion = (page: Page) => page.getByRole('region', { name: 'Page', exact: true });

test('the pages of a copy can all be reached, and the words of an award are highlighted on page and text', async () => {
  const submission = await newCopy();
  await drawn(submission);
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission);
  const region = pageRegion(page);
  await region.getByRole('img', { name: 'Page 2 of the copy' }).waitFor();
  await expect.poll(() => inkOf(page), PATIENTLY).toBeGreaterThan(0);
  await page.getByRole('table', { name: 'Criteria' }).getByRole('button', { name: 'Cause' }).click();
  await region.locator('.marking-highlight').waitFor();
  expect(await page.locator('mark').textContent()).toBe('of this');
  await region.getByRole('button', { name: 'Previous page' }).click();
  await region.getByRole('img', { name: 'Page 1 of the copy' }).waitFor();
  await region.getByRole('button', { name: 'Rotate' }).click();
  await region.getByRole('button', { name: 'Enlarge' }).click();
  await expectNoAxeViolations(page);
  expect(problems).toEqual([]);
  await context.close();
});

test('pages that are not drawn yet appear by themselves, and the original file is a link', async () => {
  const submission = await newCopy();
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission);
  const region = pageRegion(page);
  await region.getByText('The pages are not drawn yet.').waitFor();
  const original = await region.getByRole('link', { name: 'Original file' }).getAttribute('href');
  expect(new Uint8Array(await (await fetch(original ?? '')).arrayBuffer()).subarray(0, 4)).toEqual(
    new TextEncoder().encode('%PDF'),
  );
  await drawn(submission);
  await region.getByRole('img', { name: 'Page 2 of the copy' }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('a page is shown after a change of marks has replaced the file, and a page that lacks something says so', async () => {
  const submission = await newCopy();
  await drawn(submission);
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission);
  const region = pageRegion(page);
  await region.getByRole('img', { name: 'Page 2 of the copy' }).waitFor();
  await behind(
    desk.service.database,
    'update submissions set marks_revision = marks_revision + 1 where id = $1',
    [submission],
  );
  await drawn(submission);
  await behind(
    desk.service.database,
    `update checked_copies set pictures = jsonb_set(pictures, '{0,drawn}', 'false') where submission_id = $1`,
    [submission],
  );
  await region.getByRole('button', { name: 'Previous page' }).click();
  await region.getByRole('img', { name: 'Page 1 of the copy' }).waitFor();
  await region.getByText('Something on this page could not be drawn.').waitFor();
  await context.close();
});

test('writing that is in no answer is framed, and the page says so', async () => {
  const submission = await newCopy();
  await drawn(submission);
  const box = (y: number) => ({ x: 0.2, y, width: 0.3, height: 0.05 });
  const block = (y: number, crossedOut = false) => ({
    label: null,
    continues: false,
    text: 'a line',
    crossedOut,
    box: box(y),
  });
  const reading = { page: 1, legibility: 1, language: 'en', printed: [box(0.1)], unread: [box(0.6)] };
  const blocks = [block(0.2), block(0.3), block(0.4, true)];
  await behind(
    desk.service.database,
    `with run as (update runs r set alignment = $2 from submissions s
       where s.id = $1 and r.id = s.current_run_id returning r.institute_id, r.id)
     insert into page_readings (institute_id, run_id, first_page, pages) select institute_id, id, 1, $3 from run`,
    [
      submission,
      JSON.stringify([{ number: 2, blocks: [{ page: 1, block: 0 }] }]),
      JSON.stringify([{ ...reading, blocks }]),
    ],
  );
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await open(page, submission);
  const region = pageRegion(page);
  await region.getByRole('img', { name: 'Page 1 of the copy' }).waitFor();
  await region.getByText('The writing in dotted frames belongs to no answer.').waitFor();
  const tops = await region
    .locator('.marking-stray')
    .evaluateAll((frames) => frames.map((frame) => frame.getAttribute('style')?.match(/top: (\d+)/)?.[1]));
  expect(tops).toEqual(['30', '60']);
  await region.getByRole('button', { name: 'Following page' }).click();
  await region.getByRole('img', { name: 'Page 2 of the copy' }).waitFor();
  expect(await region.locator('.marking-stray').count()).toBe(0);
  await expectNoAxeViolations(page);
  expect(problems).toEqual([]);
  await context.close();
});
