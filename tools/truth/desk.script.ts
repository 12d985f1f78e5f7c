/**
 * `npm run truth:desk`: compares the pictures that the marking screen shows in Chromium with those that the reader saw
 * and with the checked copy, outside the marks, on the pages of fixtures, samples and generated copies
 * (docs/proofs.md#zeros). `TRUTH_PAGES` pages in all, default 300; `TRUTH_SEED` of the generated ones.
 */
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { endIdleChildren, extractPages } from '@evaluation/pdf';
import { folderForTests } from '@evaluation/test-services';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { deskSuite, signIn } from '../../tests/desk/harness/deskSuite.ts';
import { scannedCopies } from '../../tests/desk/harness/scannedCopies.ts';
import { seededRandom } from '../../tests/harness/seededRandom.ts';
import { drawCopy, QUESTIONS } from './copies.ts';
import { ways } from './damages.ts';
import { LEAST_LIKENESS, likenessTo } from './pictures.ts';

// Drawings are asked for behind the service, which then finds them at its next tick.
const desk = await deskSuite({ TICK_MS: '200' });
const { newCopy, drawn, open } = await scannedCopies(desk);
const folder = await folderForTests('truth-desk-');
afterAll(endIdleChildren);

const WANTED = Number(process.env['TRUTH_PAGES'] ?? 300);
const SEED = Number(process.env['TRUTH_SEED'] ?? 1);

/** A portfolio is refused. */
const REFUSED = '31-portfolio-answers-only-in-attachment.pdf';

const filesOf = async (place: string): Promise<{ name: string; pdf: Buffer }[]> => {
  const at = fileURLToPath(new URL(place, import.meta.url));
  const names = (await readdir(at)).filter((name) => name.endsWith('.pdf') && name !== REFUSED).toSorted();
  return Promise.all(names.map(async (name) => ({ name, pdf: await readFile(path.join(at, name)) })));
};

/** The files of the repository, and then copies with each damage in turn. */
async function* copies(): AsyncGenerator<{ name: string; pdf: Buffer }> {
  yield* await filesOf('../../packages/samples/copies/');
  yield* await filesOf('../../tests/fixtures/programs/');
  for (let index = 0; ; index++) {
    const random = seededRandom(SEED * 1_000_003 + index);
    const way = ways[index % ways.length] ?? null;
    const { pdf } = await drawCopy(random, 1 + Math.floor(random() * QUESTIONS), way);
    yield { name: way?.name ?? 'plain', pdf };
  }
}

const PATIENTLY = { timeout: 60_000 };

const compare = async (page: Page, pdf: Buffer) => {
  const own = await mkdtemp(path.join(folder, 'copy-'));
  const file = path.join(own, 'copy.pdf');
  await writeFile(file, pdf);
  const images = await extractPages(file, own, { timeoutSeconds: 60 });
  const submission = await newCopy(pdf);
  await drawn(submission);
  const checked = path.join(own, 'checked.pdf');
  await writeFile(checked, await desk.service.api.download(`/submissions/${submission}/checked-copy`));
  const region = await open(page, submission);
  const shown = async (number: number): Promise<Buffer> => {
    const picture = region.getByRole('img', { name: `Page ${number} of the copy`, exact: true });
    await picture.scrollIntoViewIfNeeded(PATIENTLY);
    await picture.and(page.locator('canvas:visible')).waitFor(PATIENTLY);
    const pixels = await page.evaluate<string>(
      `document.querySelector('canvas[aria-label="Page ${number} of the copy"]').toDataURL('image/jpeg', 0.95)`,
    );
    return Buffer.from(pixels.slice(pixels.indexOf(',') + 1), 'base64');
  };
  return await likenessTo(images, checked, ({ page: number }) => shown(number), own);
};

test('reader, marking screen and checked copy show the same pages', async () => {
  const { context, page, problems } = await desk.newBrowser();
  await signIn(desk, page);
  const least = { reader: { at: '', is: 1 }, checked: { at: '', is: 1 } };
  let compared = 0;
  for await (const { name, pdf } of copies()) {
    if (compared >= WANTED) break;
    const seen = await compare(page, pdf);
    for (const each of seen) {
      for (const picture of ['reader', 'checked'] as const)
        if (each[picture] < least[picture].is)
          least[picture] = { at: `${name}, page ${each.page}`, is: each[picture] };
    }
    compared += seen.length;
    process.stderr.write(`${compared} of ${WANTED} pages: ${name}\n`);
  }
  process.stdout.write(
    `${compared} pages: likeness of the screen with the reader's picture ${least.reader.is.toFixed(4)} at least ` +
      `(${least.reader.at}), with the checked copy ${least.checked.is.toFixed(4)} (${least.checked.at})\n`,
  );
  expect(problems).toEqual([]);
  expect(least.reader.is).toBeGreaterThan(LEAST_LIKENESS);
  expect(least.checked.is).toBeGreaterThan(LEAST_LIKENESS);
  await context.close();
});
