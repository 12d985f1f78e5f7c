import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { drawCheckedCopy, extractPages, type CheckedCopyPlan, type PageImage } from '@evaluation/pdf';
import { largeCopy } from '../../../tests/harness/largeCopy.ts';
import { plainPdf } from '../../../tests/harness/pdfs.ts';
import type { Side } from '../measuring/rounds.ts';
import type { Row } from '../measuring/row.ts';
import type { Servers } from '../measuring/servers.ts';
import { pathOf } from '../peers/redis.ts';

const PAGES = 40;
const BYTES = 46_000_000;
const TIMEOUT_SECONDS = 300;

const EXTRACTED = 'page images for the model';
const PDFTOPPM = 'pdftoppm -r 150 -jpeg';
const DRAWN = 'checked copy';
const QPDF = 'qpdf --overlay';

const newCopy = async (servers: Servers): Promise<{ folder: string; file: string }> => {
  const folder = await mkdtemp(join(servers.folder, 'pdf-'));
  const file = join(folder, 'copy.pdf');
  await writeFile(
    file,
    await largeCopy(
      Array.from({ length: PAGES }, () => ({})),
      BYTES,
    ),
  );
  return { folder, file };
};

/** Children of this process, which also runs the benchmark; it only waits for them. */
const inChildren = (name: string, round: () => Promise<unknown>): Side => ({
  name,
  parts: { process: process.pid },
  database: null,
  operations: PAGES,
  round: async () => void (await round()),
});

const run = promisify(execFile);

const extracted = (file: string, folder: string): Promise<PageImage[]> =>
  extractPages(file, folder, { timeoutSeconds: TIMEOUT_SECONDS });

export const pagesRow: Row = {
  name: 'pages',
  what: `page images of a scan of ${PAGES} pages and ${BYTES / 1e6} MB; one operation is a page`,
  async open(servers) {
    const { folder, file } = await newCopy(servers);
    const poppler = await pathOf(['pdftoppm']);
    const sides = [inChildren(EXTRACTED, () => extracted(file, folder))];
    if (poppler !== null)
      sides.push(
        inChildren(PDFTOPPM, () => run(poppler, ['-r', '150', '-jpeg', file, join(folder, 'poppler')])),
      );
    return {
      sides,
      absent: poppler === null ? [`${PDFTOPPM}: not on PATH`] : [],
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
  verdicts: (measured) => [
    { what: 'pages a second ÷ pdftoppm', value: measured.speedOver(EXTRACTED, PDFTOPPM), atLeast: 0.9 },
  ],
};

const plan = (): CheckedCopyPlan => ({
  examTitle: 'Biology',
  candidate: { externalId: 'bench', name: null, rollNumber: null },
  totals: { awarded: 30, max: 40, percentage: 75 },
  questions: Array.from({ length: PAGES }, (_, at) => ({
    label: `Q${at + 1}`,
    section: null,
    awarded: 0.75,
    max: 1,
    status: 'graded' as const,
    comment: null,
    feedback: 'Both stages are named.',
    criteria: [{ name: 'Equation', awarded: 0.75, max: 1, reason: 'Not balanced' }],
  })),
  annotations: Array.from({ length: PAGES }, (_, at) => ({
    page: at + 1,
    kind: 'tick' as const,
    box: { x: 0.2, y: 0.3, width: 0.1, height: 0.03 },
    text: '',
  })),
  ink: [],
});

export const checkedCopyRow: Row = {
  name: 'checked-copy',
  what: `checked copy of a scan of ${PAGES} pages and ${BYTES / 1e6} MB; one operation is a page`,
  async open(servers) {
    const { folder, file } = await newCopy(servers);
    const pageImages = await extracted(file, folder);
    const overlay = join(folder, 'overlay.pdf');
    await writeFile(overlay, plainPdf(PAGES));
    const target = join(folder, 'checked.pdf');
    const qpdf = await pathOf(['qpdf']);
    const sides = [
      inChildren(DRAWN, () =>
        drawCheckedCopy(pageImages, target, plan(), { timeoutSeconds: TIMEOUT_SECONDS }),
      ),
    ];
    if (qpdf !== null)
      sides.push(
        inChildren(QPDF, () => run(qpdf, [file, '--overlay', overlay, '--', join(folder, 'qpdf.pdf')])),
      );
    return {
      sides,
      absent: qpdf === null ? [`${QPDF}: not on PATH`] : [],
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
  verdicts: (measured) => [
    { what: 'speed ÷ qpdf --overlay', value: measured.speedOver(DRAWN, QPDF), atLeast: 0.3 },
  ],
};
