import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Ink } from '@evaluation/rules/marked-page';
import { behind } from '../harness/behind.ts';
import { deskSuite, expectNoAxeViolations, signIn } from './harness/deskSuite.ts';
import { scannedCopies } from './harness/scannedCopies.ts';

/* What a teacher draws on the pages of a copy (docs/desk/marking.md#ink). */

const desk = await deskSuite();
const { newCopy, drawn, open } = await scannedCopies(desk);
const PATIENTLY = { timeout: 20_000 };

const inkOf = async (submission: string): Promise<Ink[]> => {
  const rows = await behind<{ ink: Ink }>(
    desk.service.database,
    'select ink from marking_ink where submission_id = $1 and ink is not null order by drawn_at',
    [submission],
  );
  return rows.map(({ ink }) => ink);
};
const expectInk = async (submission: string, ink: object[]): Promise<void> => {
  await expect.poll(() => inkOf(submission), PATIENTLY).toMatchObject(ink);
};
/** Place in the window of a point in fractions of the second page, which is a part of its sheet. */
const onPage = async (region: Locator, x: number, y: number): Promise<[x: number, y: number]> => {
  const picture = region.getByRole('img', { name: 'Page 2 of the copy' });
  await picture.waitFor();
  const box = await picture.boundingBox();
  if (box === null) throw new Error('the page is not shown');
  return [box.x + x * box.width, box.y + y * box.height];
};
/** A drawn copy on the marking screen, in a browser of its own. */
const openedCopy = async () => {
  const submission = await newCopy();
  await drawn(submission);
  const browser = await desk.newBrowser();
  await signIn(desk, browser.page);
  return { submission, ...browser, region: await open(browser.page, submission) };
};
const drag = async (page: Page, from: [number, number], to: [number, number]): Promise<void> => {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 5 });
  await page.mouse.up();
};

test('a teacher ticks, writes, draws and takes back by mouse and key, and a colleague and the checked copy have it', async () => {
  const { submission, context, page, problems, region } = await openedCopy();
  const tools = region.getByRole('toolbar', { name: 'Ink' });
  const tool = (name: string) => tools.getByRole('button', { name, exact: true });
  await tool('Tick').click();
  await page.mouse.click(...(await onPage(region, 0.7, 0.125)));
  await expectInk(submission, [
    { kind: 'tick', page: 2, at: [expect.closeTo(0.7, 1), expect.closeTo(0.125, 1)] },
  ]);
  await tool('Text').click();
  await page.mouse.click(...(await onPage(region, 0.3, 0.2)));
  await region.getByRole('textbox', { name: 'Write on the copy' }).fill('Name the law');
  await page.keyboard.press('Enter');
  await tool('Pen').click();
  await drag(page, await onPage(region, 0.2, 0.25), await onPage(region, 0.4, 0.27));
  await page.keyboard.press('Escape');
  await expectInk(submission, [
    { kind: 'tick' },
    { kind: 'text', page: 2, text: 'Name the law' },
    { kind: 'pen', page: 2 },
  ]);
  const strokes = region.locator('[data-ink]');
  await expect.poll(() => strokes.count()).toBe(3);
  await expectNoAxeViolations(page);

  // A stylus tells how hard it is pressed.
  await tool('Pen').click();
  const stylus = await context.newCDPSession(page);
  const press = async (type: 'mousePressed' | 'mouseMoved' | 'mouseReleased', x: number, y: number) => {
    const [left, top] = await onPage(region, x, y);
    const force = type === 'mouseReleased' ? 0 : 0.75;
    const pen = { pointerType: 'pen', force, button: 'left', buttons: 1, clickCount: 1 } as const;
    await stylus.send('Input.dispatchMouseEvent', { type, x: left, y: top, ...pen });
  };
  await press('mousePressed', 0.2, 0.2);
  await press('mouseMoved', 0.3, 0.22);
  await press('mouseReleased', 0.3, 0.22);
  await expectInk(submission, [
    {},
    {},
    {},
    { kind: 'pen', points: expect.arrayContaining([[expect.closeTo(0.2, 1), expect.closeTo(0.2, 1), 0.75]]) },
  ]);
  await page.keyboard.press('z');
  await expectInk(submission, [{}, {}, { kind: 'pen' }]);
  await page.keyboard.press('Escape');

  // By key: at the pointer, and beside the answer if the pointer is elsewhere.
  await page.mouse.move(...(await onPage(region, 0.5, 0.3)));
  await page.keyboard.press('x');
  await page.mouse.move(2, 2);
  await page.keyboard.press('t');
  await expectInk(submission, [
    {},
    {},
    {},
    { kind: 'cross', at: [expect.closeTo(0.5, 1), expect.closeTo(0.3, 1)] },
    { kind: 'tick', at: [expect.closeTo(0.625), expect.closeTo(0.125)] },
  ]);
  await page.keyboard.press('z');
  await tools.getByRole('button', { name: 'Take back the last stroke' }).click();
  await expectInk(submission, [{}, {}, { kind: 'pen' }]);
  await expect.poll(() => strokes.count()).toBe(3);

  const colleague = await desk.newBrowser();
  await signIn(desk, colleague.page);
  const shown = await open(colleague.page, submission);
  await shown.locator('[data-ink="text"]').getByText('Name the law').waitFor();
  // What a colleague has drawn since the copy was opened appears by itself.
  await page.keyboard.press('x');
  await shown.locator('[data-ink="cross"]').waitFor({ state: 'attached' });
  await drawn(submission);
  expect([...problems, ...colleague.problems]).toEqual([]);
  await colleague.context.close();
  await context.close();
});

test('an annotation of the AI is erased with its undo, a page is cancelled, and H hides all marks', async () => {
  const { submission, context, page, problems, region } = await openedCopy();
  const tools = region.getByRole('toolbar', { name: 'Ink' });
  const ticks = region.locator('[data-mark="tick"]');
  await ticks.first().waitFor({ state: 'attached' });
  await tools.getByRole('button', { name: 'Erase' }).click();
  await ticks.locator('path').last().click({ force: true });
  await expect.poll(() => ticks.count()).toBe(0);
  await expectInk(submission, [{ kind: 'removed', annotation: 'tick', page: 2, at: [0.1, 0.1] }]);
  await page.keyboard.press('z');
  await expect.poll(() => ticks.count()).toBe(1);
  await expectInk(submission, []);
  await page.keyboard.press('Escape');
  await tools.getByRole('button', { name: 'Cancel this page' }).click();
  await expectInk(submission, [{ kind: 'cancel', page: 2 }]);
  await page.keyboard.press('h');
  await expect.poll(() => region.locator('[data-mark], [data-ink]').count()).toBe(0);
  await page.keyboard.press('h');
  await region.locator('[data-ink="cancel"]').waitFor({ state: 'attached' });
  expect(problems).toEqual([]);
  await context.close();
});

test('a criterion that a teacher marks has the sign of its mark on the page, as on the checked copy', async () => {
  const { context, page, region } = await openedCopy();
  await region.locator('[data-mark="tick"]').first().waitFor({ state: 'attached' });
  await page.getByRole('row', { name: /Cause/ }).getByRole('button', { name: 'No marks' }).click();
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await region.locator('[data-mark="cross"]').first().waitFor({ state: 'attached' });
  expect(await region.locator('[data-mark="tick"]').count()).toBe(0);
  await context.close();
});

test('strokes drawn without a network are kept through a reload, and stored once', async () => {
  const { submission, context, page, region } = await openedCopy();
  await onPage(region, 0, 0);
  // The call takes effect, and its answer is lost.
  await page.route('**/trpc/desk.marking.ink', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.keyboard.press('t');
  await region.getByText('1 stroke is kept in this browser').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await expectInk(submission, [{ kind: 'tick' }]);
  await expect.poll(() => region.locator('[data-ink]').count(), PATIENTLY).toBe(1);
  await region.getByText(/kept in this browser|Saving/).waitFor({ state: 'detached' });
  await context.close();
});
