import { expect, test, vi } from 'vitest';
import { createExam } from '../harness/api.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';

/* What pages have in common: dates, names of browsers, rows of fields (docs/desk/README.md). */

vi.setConfig({ testTimeout: 120_000 });

const desk = await deskSuite();

test('all pages write dates as the locale of the browser does, and name browsers', async () => {
  await createExam(
    desk.service.api,
    typedExam([longAnswer('1')], { title: 'Optics', conducted_on: '2026-03-09' }),
  );
  for (const [locale, day, moment] of [
    ['en-GB', '9 Mar 2026', /^\d{1,2} \w{3,4} \d{4}, \d{2}:\d{2}$/],
    ['en-US', 'Mar 9, 2026', /^\w{3} \d{1,2}, \d{4}, \d{1,2}:\d{2}\s[AP]M$/],
  ] as const) {
    const context = await desk.browser.newContext({ locale, viewport: { width: 1280, height: 720 } });
    const page = await context.newPage();
    await signIn(desk, page);
    await page
      .getByRole('row', { name: /Optics/ })
      .getByText(day)
      .waitFor();
    await page.getByRole('link', { name: 'Optics' }).click();
    await page.getByText(`· ${day} ·`).waitFor();
    await page.goto(`${desk.url}/account`);
    const cells = page.getByRole('row', { name: 'This browser' }).getByRole('cell');
    await cells.first().waitFor();
    expect(await cells.nth(0).innerText()).toBe('Chrome, Linux');
    for (const column of [1, 2]) expect(await cells.nth(column).innerText()).toMatch(moment);
    await page.goto(`${desk.url}/audit`);
    const time = page.getByRole('row').nth(1).getByRole('cell').first();
    expect(await time.innerText()).toMatch(moment);
    await context.close();
  }
});

test('sign-in says what to do about a forgotten password', async () => {
  const { context, page } = await desk.newBrowser();
  await page.goto(`${desk.url}/sign-in`);
  await page.getByText('An admin of your institute can make a link with which you set a new one.').waitFor();
  await expectNoAxeViolations(page);
  await context.close();
});

test('criteria stand in columns with one row of headings, and with labels on a narrow page', async () => {
  const { context, page } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/new`);
  await page.getByRole('checkbox', { name: 'With a rubric' }).check();
  for (let count = 0; count < 2; count += 1)
    await page.getByRole('button', { name: 'Add a criterion' }).click();
  await page.getByText('An answer that meets a criterion in part gets part of its marks.').waitFor();
  const NAMES = ['Criterion', 'Marks', 'Keywords', 'Guidance'];
  const boxesOf = async (number: number) => {
    const row = page.getByRole('group', { name: `Criterion ${number}` });
    const boxes = await Promise.all(
      NAMES.map((name) => row.getByRole('textbox', { name, exact: true }).boundingBox()),
    );
    return [...boxes, await row.getByRole('button', { name: `Remove criterion ${number}` }).boundingBox()];
  };
  /** Labels of the second criterion that can be seen. */
  const labels = async () => {
    const found = page.getByRole('group', { name: 'Criterion 2' }).locator('label');
    const boxes = await Promise.all((await found.all()).map((label) => label.boundingBox()));
    return boxes.filter((box) => box !== null && box.width > 1).length;
  };
  for (const width of [1280, 1024, 820]) {
    await page.setViewportSize({ width, height: 720 });
    const [first, second] = [await boxesOf(1), await boxesOf(2)];
    for (const row of [first, second]) {
      const tops = row.map((box) => Math.round(box?.y ?? Number.NaN));
      expect([width, Math.max(...tops) - Math.min(...tops) <= 2, tops]).toEqual([width, true, tops]);
    }
    expect(second.map((box) => box?.x)).toEqual(first.map((box) => box?.x));
    expect(await labels()).toBe(0);
    await expectNoSidewaysScroll(page);
  }
  await page.setViewportSize({ width: 390, height: 720 });
  expect(await labels()).toBe(NAMES.length);
  await expectNoSidewaysScroll(page);
  await expectNoAxeViolations(page);
  await context.close();
});
