import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endIdleChildren, extractPages, inspectPdf, PdfUnreadable } from '@evaluation/pdf';
import { folderForTests } from '@evaluation/test-services';
import { afterAll, expect, test } from 'vitest';
import * as hostile from '../../../tests/harness/hostilePdfs.ts';
import { plainPdf } from '../../../tests/harness/pdfs.ts';
import { seededRandom } from '../../../tests/harness/seededRandom.ts';
import { mutated } from './mutate.ts';

/*
 * Damaged PDFs in the children that read uploads: each gets a typed verdict within its limits, and the next file is
 * read as always.
 *
 * FUZZ_PDFS=2000 FUZZ_SEED=7 npx vitest run tools/fuzz/pdfs     more files, of another seed
 */
const FILES = Number(process.env['FUZZ_PDFS'] ?? 12);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const LIMIT_SECONDS = 20;
/** Time after the limit until a child has ended, on a busy machine. */
const GRACE_MS = 20_000;
/** Number of damaged files after which a valid file is read. */
const GOOD_EVERY = 4;

const folder = await folderForTests('fuzz-pdfs-');
afterAll(() => endIdleChildren());

const corpus = async (): Promise<Buffer[]> => {
  const fixture = (name: string) =>
    readFile(fileURLToPath(new URL(`../../../tests/fixtures/${name}`, import.meta.url)));
  return [
    plainPdf(1),
    plainPdf(3),
    await fixture('bad/encrypted.pdf'),
    await fixture('bad/truncated.pdf'),
    await readFile(createRequire(import.meta.url).resolve('@evaluation/samples/copies/weak.pdf')),
    hostile.pageTreeLoop(),
    hostile.noPages(),
    hostile.promisedPages(),
    hostile.deepTree(),
    hostile.formLoop(),
    hostile.wideSheet(200),
    hostile.withoutTable(plainPdf(2)),
  ];
};

const verdictOn = async (bytes: Buffer, name: string): Promise<string> => {
  const file = join(folder, `${name}.pdf`);
  const out = join(folder, name);
  await writeFile(file, bytes);
  await mkdir(out);
  const limits = { timeoutSeconds: LIMIT_SECONDS };
  try {
    const inspection = await inspectPdf(file, limits);
    if (!inspection.ok) return inspection.code;
    const pages = await extractPages(file, out, { ...limits, firstPage: 1, lastPage: 1 });
    return `read ${pages.length}`;
  } catch (error) {
    if (error instanceof PdfUnreadable) return error.code;
    throw error;
  } finally {
    await rm(out, { recursive: true, force: true });
    await rm(file);
  }
};

test(
  'a damaged PDF gets a typed verdict within its limits, and the next file is read as always',
  async () => {
    const files = await corpus();
    const random = seededRandom(SEED);
    for (let nth = 0; nth < FILES; nth += 1) {
      const source = files[nth % files.length] ?? plainPdf(1);
      const bytes = mutated(source, random);
      const began = performance.now();
      const verdict = await verdictOn(bytes, `${nth}`).catch((error: unknown) => {
        throw new Error(`file ${nth} of seed ${SEED}`, { cause: error });
      });
      expect(verdict, `file ${nth} of seed ${SEED}`).toMatch(/^[a-z_]+$|^read \d+$/);
      expect(performance.now() - began, `file ${nth} of seed ${SEED}`).toBeLessThan(
        2 * LIMIT_SECONDS * 1000 + GRACE_MS,
      );
      if (nth % GOOD_EVERY === 0) expect(await verdictOn(plainPdf(1), `good-${nth}`)).toBe('read 1');
    }
  },
  120_000 + FILES * 5_000,
);
