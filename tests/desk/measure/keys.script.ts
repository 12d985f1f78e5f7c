import { expect, test } from 'vitest';
import { createExam, resultOf, submit, untilOver } from '../../harness/api.ts';
import { longAnswer, typedExam } from '../../harness/papers.ts';
import { deskSuite, signIn } from '../harness/deskSuite.ts';
import { percentile } from './timing.ts';

/*
 * `npm run desk:keys`: 120 answers to one question, marked by the keys and clicks of a person. Every fourth mark is
 * changed. Each decision is then read over the API. Prints keys and clicks for an answer, and the time from the last
 * key of an answer until the next one is shown.
 */

const ANSWERS = Number(process.env['DESK_ANSWERS'] ?? 120);
const CHANGED_EVERY = 4;
const desk = await deskSuite();

interface Ways {
  accept: () => Promise<number>;
  change: (mark: string) => Promise<number>;
}

test.each(['keys', 'mouse'] as const)('by %s', async (by) => {
  const { api } = desk.service;
  const exam = await createExam(api, typedExam([longAnswer('1')]));
  const ids: string[] = [];
  for (let index = 0; index < ANSWERS; index += 1) {
    const text = `Because of reason ${index}, I think, the answer differs from all others.`;
    const { id } = await submit(api, exam.id, {
      candidate: { external_id: `${by}-${index}` },
      answers: [{ question_label: '1', text }],
    });
    ids.push(id);
  }
  for (const id of ids) await untilOver(api, id);

  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.goto(`${desk.url}/exams/${exam.id}/mark`);
  const marks = page.getByRole('spinbutton', { name: 'Marks', exact: true });
  const confirm = page.getByRole('button', { name: 'Confirm and next' });
  const shown = () => new URL(page.url()).searchParams.get('submission') ?? '';
  const ways: Ways =
    by === 'keys'
      ? {
          accept: async () => {
            await page.keyboard.press('Enter');
            return 1;
          },
          change: async (mark) => {
            await page.keyboard.press(mark);
            await page.keyboard.press('Enter');
            return 2;
          },
        }
      : {
          accept: async () => {
            await confirm.click();
            return 1;
          },
          change: async (mark) => {
            await marks.fill(mark);
            await confirm.click();
            return 2;
          },
        };
  const wanted = new Map<string, number>();
  const used = { accepted: 0, changed: 0 };
  const counts = { accepted: 0, changed: 0 };
  const steps: number[] = [];
  while (wanted.size < ANSWERS) {
    await expect.poll(() => wanted.has(shown()) || shown() === '').toBe(false);
    const id = shown();
    await expect.poll(() => marks.isEnabled()).toBe(true);
    const proposed = Number(await marks.inputValue());
    const isChanged = wanted.size % CHANGED_EVERY === 0;
    const mark = isChanged ? (proposed === 0 ? 1 : 0) : proposed;
    wanted.set(id, mark);
    const started = performance.now();
    const kind = isChanged ? 'changed' : 'accepted';
    used[kind] += isChanged ? await ways.change(String(mark)) : await ways.accept();
    counts[kind] += 1;
    if (wanted.size === ANSWERS) break;
    await page.waitForURL((url) => url.searchParams.get('submission') !== id);
    steps.push(performance.now() - started);
    // A person reads the answer; ten decisions that wait to be sent are more than Next looks ahead.
    await page.getByText('Saved', { exact: true }).waitFor();
  }
  for (const [id, mark] of wanted) {
    await expect
      .poll(async () => (await resultOf(api, id)).questions[0]?.review.edited, { timeout: 20_000 })
      .toBe(true);
    expect((await resultOf(api, id)).questions[0]?.awarded).toBe(mark);
  }
  const each = (kind: keyof typeof used) => (used[kind] / counts[kind]).toFixed(2);
  console.log(
    `by ${by}: ${each('accepted')} for an accepted answer, ${each('changed')} for a changed one; next after ${percentile(steps, 0.5).toFixed(0)} ms, p95 ${percentile(steps, 0.95).toFixed(0)} ms`,
  );
  expect(problems).toEqual([]);
  await context.close();
});
