import { expect, test, vi } from 'vitest';
import { deskSuite, expectNoAxeViolations, expectNoSidewaysScroll, signIn } from './harness/deskSuite.ts';

vi.setConfig({ testTimeout: 240_000 });

const desk = await deskSuite();

test('an institute without exams sees three steps, tries the sample for nothing, and removes it', async () => {
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  await page.getByRole('heading', { name: 'Three steps to the first marked copy' }).waitFor();
  await expectNoAxeViolations(page);
  await expectNoSidewaysScroll(page);
  const available = async () =>
    (await desk.service.api.get<{ available: number }>('/credits')).body.available;
  const before = await available();
  await page.getByRole('button', { name: 'Try it with a sample' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sample: Class X Science' }).waitFor({ timeout: 60_000 });
  for (const name of ['Asha Rao', 'Biju Nair', 'Chitra Sen'])
    await page.getByRole('row', { name: new RegExp(name) }).waitFor();
  await page.getByText(/^\d of 3 done/).waitFor();
  expect(await available()).toBe(before);
  await expectNoAxeViolations(page);

  await page.getByRole('button', { name: 'Remove the sample' }).click();
  await page.getByRole('button', { name: 'Remove it' }).click();
  await page.getByRole('heading', { name: 'Three steps to the first marked copy' }).waitFor();
  expect(await available()).toBe(before);
  expect(problems).toEqual([]);
  await context.close();
});
