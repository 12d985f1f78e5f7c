import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { behind } from '../harness/behind.ts';
import { deskSuite, expectNoAxeViolations, signIn } from './harness/deskSuite.ts';
import { scannedCopies } from './harness/scannedCopies.ts';

/* The pages of a copy on the marking screen: the pictures from which it was graded (docs/desk/marking.md). */

const desk = await deskSuite();
const { newCopy, drawn, open } = await scannedCopies(desk);
const PATIENTLY = { timeout: 20_000 };

/** Dark pixels of the drawn page. */
const inkOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const canvas = document.querySelector('canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let dark = 0;
    for (let index = 0; index < pixels.length; index += 4) if (pixels[index] < 128 && pixels[index + 3] > 0) dark += 1;
    return dark;
  })()`);
test('the pages of a copy can all be reached, and the words of an award are highlighted on page and text', async () => {
  const submission = await newCopy();
  await drawn(submission);
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  const region = await open(page, submission);
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
  const region = await open(page, submission);
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
  const submission = await newCopy(9);
  await drawn(submission);
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  const region = await open(page, submission);
  await region.getByRole('img', { name: 'Page 2 of the copy' }).waitFor();
  await behind(
    desk.service.database,
    'update submissions set marks_revision = marks_revision + 1 where id = $1',
    [submission],
  );
  await drawn(submission);
  await behind(
    desk.service.database,
    `update checked_copies set pictures = jsonb_set(pictures, '{8,drawn}', 'false') where submission_id = $1`,
    [submission],
  );
  // Pages far from those in view have not been read yet.
  expect(await region.getByRole('img', { name: 'Page 9 of the copy' }).count()).toBe(0);
  await region.getByRole('combobox', { name: 'Page of the copy' }).selectOption('9');
  await region.getByRole('img', { name: 'Page 9 of the copy' }).waitFor();
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
  const reading = {
    page: 1,
    legibility: 1,
    language: 'en',
    turn: 0,
    printed: [box(0.1)],
    unread: [box(0.6)],
  };
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
  const region = await open(page, submission);
  await region.getByRole('img', { name: 'Page 1 of the copy' }).waitFor();
  await region.getByText('The writing in dotted frames belongs to no answer.').waitFor();
  const tops = await region
    .locator('.marking-stray')
    .evaluateAll((frames) => frames.map((frame) => frame.getAttribute('style')?.match(/top: (\d+)/)?.[1]));
  expect(tops).toEqual(['30', '60']);
  await region.getByRole('button', { name: 'Following page' }).click();
  await region.getByRole('img', { name: 'Page 2 of the copy' }).waitFor();
  expect(await region.locator('[data-page="2"] .marking-stray').count()).toBe(0);
  await expectNoAxeViolations(page);
  expect(problems).toEqual([]);
  await context.close();
});

/** Gives questions 1 and 2 an answer: on the last page at its foot, and on the first. */
const answered = (submission: string, pages: number) => {
  const block = (y: number) => ({
    label: null,
    continues: false,
    text: 'a line',
    crossedOut: false,
    box: { x: 0.2, y, width: 0.3, height: 0.06 },
  });
  const reading = { legibility: 1, language: 'en', turn: 0, printed: [], unread: [] };
  return behind(
    desk.service.database,
    `with run as (update runs r set alignment = $2 from submissions s
       where s.id = $1 and r.id = s.current_run_id returning r.institute_id, r.id)
     insert into page_readings (institute_id, run_id, first_page, pages) select institute_id, id, 1, $3 from run`,
    [
      submission,
      JSON.stringify([
        { number: 1, blocks: [{ page: pages, block: 0 }] },
        { number: 2, blocks: [{ page: 1, block: 0 }] },
      ]),
      JSON.stringify([
        { ...reading, page: 1, blocks: [block(0.3)] },
        { ...reading, page: pages, blocks: [block(0.92)] },
      ]),
    ],
  );
};

test('each step moves the whole answer into view, the pages scroll by wheel and key, and their size stays', async () => {
  const submission = await newCopy(5);
  await answered(submission, 5);
  await drawn(submission);
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  const region = await open(page, submission);
  const pane = region.getByRole('group', { name: 'Pages of the copy' });
  const isInView = async (): Promise<boolean> => {
    const [frame, shown] = [await region.locator('.marking-frame').boundingBox(), await pane.boundingBox()];
    if (frame === null || shown === null) return false;
    return frame.y >= shown.y && frame.y + frame.height <= shown.y + shown.height;
  };
  const choose = (label: string) =>
    page.getByRole('list', { name: 'Questions' }).getByRole('button', { name: label }).click();
  await expect.poll(isInView, PATIENTLY).toBe(true);
  await region.getByRole('img', { name: 'Page 1 of the copy' }).waitFor();
  await choose('1');
  await region.getByRole('img', { name: 'Page 5 of the copy' }).waitFor();
  await expect.poll(isInView, PATIENTLY).toBe(true);
  await choose('2');
  await expect.poll(isInView, PATIENTLY).toBe(true);

  const topOf = () => page.evaluate<number>("document.querySelector('.marking-pane').scrollTop");
  const movesDown = async (act: () => Promise<void>): Promise<void> => {
    const before = await topOf();
    await act();
    await expect.poll(topOf, PATIENTLY).toBeGreaterThan(before);
  };
  await pane.hover();
  await movesDown(() => page.mouse.wheel(0, 100));
  await pane.focus();
  await movesDown(() => page.keyboard.press('ArrowDown'));
  await movesDown(() => page.keyboard.press('Space'));

  const widthOf = async () => (await region.locator('[data-page="1"]').boundingBox())?.width ?? 0;
  const fitted = await widthOf();
  await region.getByRole('button', { name: 'Fit page' }).click();
  await expect.poll(widthOf, PATIENTLY).toBeLessThan(fitted);
  const whole = await widthOf();
  await pane.hover();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await expect.poll(widthOf, PATIENTLY).toBeGreaterThan(whole);
  const chosen = await widthOf();
  const another = await newCopy(5);
  await drawn(another);
  await open(page, another);
  await expect.poll(widthOf, PATIENTLY).toBeCloseTo(chosen, 0);
  expect(problems).toEqual([]);
  await context.close();
});

test('marks stand in the column beside the page, with what counts, also of a question without an answer', async () => {
  const submission = await newCopy();
  await drawn(submission);
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  const region = await open(page, submission);
  const picture = region.getByRole('img', { name: 'Page 2 of the copy' });
  await picture.waitFor();
  const marks = region.locator('[data-mark="mark"] text');
  await expect.poll(() => marks.allTextContents(), PATIENTLY).toEqual(['Q1 1/1', 'Q2 2/2']);
  const right = await picture.boundingBox();
  for (const mark of await marks.all()) {
    const { x } = (await mark.boundingBox()) ?? { x: 0 };
    expect(x).toBeGreaterThan((right?.x ?? Infinity) + (right?.width ?? 0));
  }
  await page.getByRole('spinbutton', { name: 'Marks' }).fill('1.5');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect.poll(() => marks.allTextContents(), PATIENTLY).toEqual(['Q1 1/1', 'Q2 1.5/2']);
  expect(problems).toEqual([]);
  await context.close();
});
