import { cpus, loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { behind } from '../../harness/behind.ts';
import { deskSuite, signIn } from '../harness/deskSuite.ts';
import { submitDemoCopies } from './demoData.ts';
import { fabricateCopies } from './manyCopies.ts';
import {
  HAS_INK,
  interactionsOf,
  paintOf,
  percentile,
  timeNext,
  untilShown,
  watchInteractions,
} from './timing.ts';

/*
 * `npm run desk:measure`: first useful paint and interaction on the data of the demo, and Next in an exam of 2,000
 * copies with 40 pages, in three windows. Prints the rows of the table in docs/desk/server.md. DESK_COPIES and
 * DESK_STEPS ask for another size.
 */

const COPIES = Number(process.env['DESK_COPIES'] ?? 2000);
const STEPS = Number(process.env['DESK_STEPS'] ?? 40);
/** An examiner looks at an answer for longer; meanwhile the page reads the next copy ahead. */
const LOOK_MS = 2000;
const WINDOWS = [
  { name: '1280×720', width: 1280, height: 720, hasTouch: false },
  { name: '3840×2160', width: 3840, height: 2160, hasTouch: false },
  { name: 'tablet 820×1180', width: 820, height: 1180, hasTouch: true },
];
const SMALLEST_TARGET = 24;

const desk = await deskSuite();

test('measure', async () => {
  const load = loadavg();
  const demo = await submitDemoCopies(desk.service.api);
  const many = await fabricateCopies(desk.service, COPIES);
  console.log(
    `${cpus().length} × ${cpus()[0]?.model}, load ${load.map((each) => each.toFixed(1)).join(' ')}`,
  );
  // This question and the next one have a rubric.
  const essay = demo.exam.questions.find(({ label }) => label === '7(a)');
  for (const { name, width, height, hasTouch } of WINDOWS) {
    const context = await desk.browser.newContext({ viewport: { width, height }, hasTouch, locale: 'en-GB' });
    const page = await context.newPage();
    await signIn(desk, page);
    const list = await paintOf(page, `${desk.url}/exams`, `document.querySelector('tbody a') !== null`);
    const marking = await paintOf(
      page,
      `${desk.url}/exams/${demo.exam.id}/mark?question=${essay?.id ?? ''}`,
      HAS_INK,
    );
    const interactions = await interact(page);
    const faults = [...(await faultsOf(page, hasTouch))];

    await page.goto(
      `${desk.url}/exams/${many.id}/mark?order=question&question=${many.questions[20]?.id ?? ''}`,
    );
    await untilShown(page, HAS_INK);
    const steps: { mark: number; page: number }[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      await page.waitForTimeout(LOOK_MS);
      steps.push(await timeNext(page, 'n'));
    }
    faults.push(...(await faultsOf(page, hasTouch)));
    const marks = steps.map(({ mark }) => mark);
    const pages = steps.map((step) => step.page);
    const cells = [
      list,
      marking,
      percentile(interactions, 0.5),
      percentile(interactions, 0.95),
      percentile(marks, 0.5),
      percentile(marks, 0.95),
      percentile(pages, 0.5),
      percentile(pages, 0.95),
    ];
    console.log(`| ${name} | ${cells.map((cell) => Math.round(cell)).join(' | ')} |`);
    if (faults.length > 0) console.log(`  ${[...new Set(faults)].join('; ')}`);
    await context.close();
  }
  await explainOrder(many.id);
});

/** Keys and clicks of an examiner on one copy. @returns their durations until the next paint */
const interact = async (page: Page): Promise<number[]> => {
  await watchInteractions(page);
  const keys = ['j', 'j', 'k', 'k', '+', '-', 'PageDown', 'PageUp', 'n', 'p'];
  for (let round = 0; round < 3; round += 1) {
    for (const key of keys) {
      const before = await questionShown(page);
      await page.locator('body').press(key);
      // The next key is for the question that this one leads to.
      if (key === 'n' || key === 'p')
        await expect.poll(() => questionShown(page), { timeout: 30_000 }).not.toBe(before);
      await page.getByRole('spinbutton', { name: 'Marks' }).waitFor();
      await page.waitForTimeout(300);
    }
    await page.getByRole('table', { name: 'Criteria' }).getByRole('button').first().click();
    await page.waitForTimeout(300);
  }
  const measured = await interactionsOf(page);
  const short = Math.max(0, 3 * (keys.length + 1) - measured.length);
  return [...measured, ...Array.from({ length: short }, () => 16)];
};

const questionShown = (page: Page): Promise<string | null> =>
  page.getByRole('heading', { level: 2, name: /^Question / }).textContent();

/** Sideways scroll, and on a tablet buttons and fields that are too small for a finger. */
const faultsOf = async (page: Page, hasTouch: boolean): Promise<string[]> => {
  const surplus = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  const small = await page.evaluate<string[]>(
    `[...document.querySelectorAll('button, a, select, input, textarea, summary, [role=switch]')].flatMap((each) => {
      const { width, height } = (each.closest('label') ?? each).getBoundingClientRect();
      const isShown = each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      const isSmall = isShown && width > 1 && (width < ${SMALLEST_TARGET} || height < ${SMALLEST_TARGET});
      const name = each.ariaLabel ?? each.textContent;
      return isSmall ? [\`\${each.tagName} \${name} \${Math.round(width)}×\${Math.round(height)}\`] : [];
    })`,
  );
  return [...(surplus > 0 ? [`scrolls sideways by ${surplus}`] : []), ...(hasTouch ? small : [])];
};

/** Durations of the statement behind `desk.marking.order` in PostgreSQL (apps/core/src/marking/screen/copyOrder.ts). */
const explainOrder = async (examId: string): Promise<void> => {
  const context = await desk.newBrowser();
  await signIn(desk, context.page);
  const order = async (input: object): Promise<number> => {
    const started = performance.now();
    await context.page.request.post(`${desk.url}/trpc/desk.marking.order`, {
      headers: { 'x-evaluation-desk': '1' },
      data: { exam_id: examId, limit: 1, ...input },
    });
    return performance.now() - started;
  };
  const timed = async (what: string, input: object): Promise<void> => {
    const times: number[] = [];
    for (let round = 0; round < 20; round += 1) times.push(await order(input));
    console.log(
      `order, ${what}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`,
    );
  };
  await timed('all', {});
  await timed('open only', { open_only: true });
  // The worst case: each copy is counted, and none is open.
  await behind(desk.service.database, `update submissions set approved_at = now() where exam_id = $1`, [
    examId,
  ]);
  await timed('open only, none open', { open_only: true });
  await context.context.close();
};
