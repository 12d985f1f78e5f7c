import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PDFDocument } from '#pdf-lib';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { endIdleChildren, extractPages, PdfUnreadable, toViewedBox } from './index.ts';
import type { PageImage } from './index.ts';
import type { ExtractOptions } from './index.ts';
import { claimSize, endlessPdf, passwordPdf, scan, scannedPdf } from '../test/pdfs.ts';
import { childrenOf, pidsOf } from '../test/children.ts';
import { boundsOf, isGreen, isRed } from '../test/pictures.ts';
import { album, faintScan, leans } from '../test/album.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'extract-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let runs = 0;
const put = async (bytes: Buffer) => {
  const out = join(folder, String(runs++));
  await mkdir(out);
  const file = join(out, 'copy.pdf');
  await writeFile(file, bytes);
  return { file, out };
};

const extract = async (bytes: Buffer, options: Partial<ExtractOptions> = {}): Promise<PageImage[]> => {
  const { file, out } = await put(bytes);
  return extractPages(file, out, { timeoutSeconds: 60, ...options });
};

test('pages come as JPEGs in order, 1568 px on the long side', async () => {
  const pages = await extract(await scannedPdf([await scan(), await scan({ lines: 10 })]));
  expect(pages.map(({ page }) => page)).toEqual([1, 2]);
  for (const page of pages) {
    const { format, width, height } = await sharp(page.file).metadata();
    expect({ format, width, height }).toEqual({ format: 'jpeg', width: page.width, height: page.height });
    expect(page).toMatchObject({ height: 1568, width: 1108, skewDegrees: 0, state: 'written' });
    expect((await stat(page.file)).size).toBeGreaterThan(10_000);
  }
});

test('a drawn page with a fine picture is kept with 200 dpi for people, and one with a coarse picture as it is read', async () => {
  const document = await PDFDocument.create();
  for (const size of [2400, 700]) {
    const picture = await sharp(await scan({ width: size, height: Math.round(size * Math.SQRT2) }))
      .png()
      .toBuffer();
    const page = document.addPage([595, 842]);
    page.drawImage(await document.embedPng(picture), { x: 0, y: 0, width: 595, height: 842 });
  }
  const pages = await extract(Buffer.from(await document.save()));
  const sizes = await Promise.all(
    pages.map(async ({ file, picture }) => [
      await sharp(file).metadata(),
      await sharp(picture.file).metadata(),
    ]),
  );
  expect(sizes.map((both) => both.map(({ height }) => height))).toEqual([
    [1568, 2352],
    [1568, 1568],
  ]);
});

test('firstPage and lastPage choose pages, and a lastPage beyond the end means the end', async () => {
  const small = await smallScan();
  const bytes = await scannedPdf([small, small, small, small]);
  expect((await extract(bytes, { firstPage: 2, lastPage: 3 })).map(({ page }) => page)).toEqual([2, 3]);
  expect((await extract(bytes, { firstPage: 4, lastPage: 40 })).map(({ page }) => page)).toEqual([4]);
});

let shown: PageImage[];
beforeAll(async () => {
  const document = await PDFDocument.create();
  for (const add of Object.values(album)) await add(document);
  shown = await extract(Buffer.from(await document.save()));
});

const pageOf = (name: string): PageImage => {
  const page = shown[Object.keys(album).indexOf(name)];
  if (page === undefined) throw new Error(`no page ${name}`);
  return page;
};

test('a scan smaller than the long side is not enlarged', () => {
  expect(pageOf('small').height).toBe(849);
});

test.each([
  [0, { x: 0.06, y: 0.04 }],
  [90, { x: 0.9, y: 0.06 }],
  [180, { x: 0.79, y: 0.9 }],
  [270, { x: 0.03, y: 0.79 }],
])(
  'a page turned by %i is upright as in a viewer, extracted or rendered, cropped or not',
  async (rotate, at) => {
    for (const crop of ['whole', 'cropped']) {
      const pages = ['plain', 'drawn'].map((kind) => pageOf(`turn ${rotate} ${crop} ${kind}`));
      expect(pages.map(({ width, height }) => Math.max(width, height))).toEqual([877, 1568]);
      for (const page of pages) {
        expect(page.width > page.height).toBe(rotate % 180 !== 0);
        const found = await boundsOf(page.file, isRed);
        expect(found?.x).toBeCloseTo(at.x, 1);
        expect(found?.y).toBeCloseTo(at.y, 1);
      }
    }
  },
);

test.each(leans)('writing that leans by %f° is straightened, and boxes map back', async (lean) => {
  const page = pageOf(`lean ${lean}`);
  expect(Math.abs(page.skewDegrees - lean)).toBeLessThanOrEqual(0.3);
  expect(Math.max(page.width, page.height)).toBeLessThanOrEqual(1568);
  const inImage = await boundsOf(page.file, isGreen);
  if (inImage === null) throw new Error('the mark is gone');
  // Rotate the mark's centre about the page's centre, as the scan was rotated.
  const radians = (lean * Math.PI) / 180;
  const [dx, dy] = [940 - 620, 1530 - 877];
  const expected = {
    x: (620 + dx * Math.cos(radians) - dy * Math.sin(radians)) / 1240,
    y: (877 + dx * Math.sin(radians) + dy * Math.cos(radians)) / 1754,
  };
  const box = toViewedBox(inImage, page);
  expect(Math.abs(box.x + box.width / 2 - expected.x)).toBeLessThan(0.003);
  expect(Math.abs(box.y + box.height / 2 - expected.y)).toBeLessThan(0.003);
});

test('a stamp or a drawing alone does not turn the page', () => {
  expect(pageOf('stamp').skewDegrees).toBe(0);
});

test('an empty sheet is clean and is delivered; a line of writing is written', async () => {
  const pages = ['empty', 'oneLine'].map(pageOf);
  expect(pages.map(({ state }) => state)).toEqual(['clean', 'written']);
  for (const page of pages) expect((await stat(page.file)).size).toBeGreaterThan(1000);
});

test('a page with a broken JPEG is not_drawn and is shown as far as it goes', () => {
  expect(['broken', 'whole'].map((name) => pageOf(name).state)).toEqual(['not_drawn', 'written']);
});

test('a faint pencil scan on grey paper comes out with far more contrast', async () => {
  const range = async (picture: string | Buffer) => {
    const { channels } = await sharp(picture).stats();
    return (channels[0]?.max ?? 0) - (channels[0]?.min ?? 0);
  };
  expect(await range(await faintScan())).toBeLessThan(105);
  expect(await range(pageOf('faint').file)).toBeGreaterThan(160);
});

test('contrast stretching keeps the red of a page', async () => {
  expect(await boundsOf(pageOf('colour').file, isRed)).not.toBeNull();
});

const smallScan = () => scan({ width: 300, height: 424 });

test('a picture of 30000 × 30000, or an undecodable one, damages its page only', async () => {
  const small = await smallScan();
  const bomb = claimSize(small, 30_000, 30_000);
  const pages = await extract(await scannedPdf([bomb, claimSize(small, 65_500, 65_500), small]));
  expect(pages.map(({ state }) => state)).toEqual(['not_drawn', 'not_drawn', 'written']);
  await expect(extract(await scannedPdf([bomb]))).rejects.toMatchObject({ code: 'unreadable' });
});

test('a page with a 30000 × 30000 picture and a drawing ends within the limits', async () => {
  const document = await PDFDocument.load(await scannedPdf([claimSize(await smallScan(), 30_000, 30_000)]));
  document.getPage(0).drawCircle({ x: 300, y: 400, size: 1 });
  const end = await extract(Buffer.from(await document.save()), { timeoutSeconds: 1 }).catch(
    (error: unknown) => error,
  );
  expect(Array.isArray(end) || end instanceof PdfUnreadable).toBe(true);
});

test('a page that takes hours throws timeout and leaves no process', async () => {
  endIdleChildren();
  const before = pidsOf(process.pid);
  await expect(extract(endlessPdf(), { timeoutSeconds: 1 })).rejects.toMatchObject({
    name: 'PdfUnreadable',
    code: 'timeout',
  });
  const left = pidsOf(process.pid).filter((pid) => !before.includes(pid));
  expect(left).toEqual([]);
});

test('an abort ends the process and throws the signal’s reason', async () => {
  const controller = new AbortController();
  const { file, out } = await put(endlessPdf());
  endIdleChildren();
  const before = pidsOf(process.pid);
  const running = extractPages(file, out, { timeoutSeconds: 60, signal: controller.signal });
  await vi.waitFor(() => expect(pidsOf(process.pid).some((pid) => !before.includes(pid))).toBe(true), 50_000);
  controller.abort(new Error('lease lost'));
  await expect(running).rejects.toThrow('lease lost');
  await expect(extractPages(file, out, { timeoutSeconds: 60, signal: controller.signal })).rejects.toThrow(
    'lease lost',
  );
});

test('files that do not open throw unreadable', async () => {
  for (const bytes of [passwordPdf, Buffer.from('%PDF-1.7 and no more')]) {
    const failure = await extract(bytes).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PdfUnreadable);
    expect(failure).toMatchObject({ code: 'unreadable' });
  }
});

const isLinux = process.platform === 'linux';
/** A slow polling interval, because each poll takes CPU from the children. */
const patient = { timeout: 50_000, interval: 150 };

test.runIf(isLinux)('the child sees none of the parent’s environment', async () => {
  process.env['PDF_TEST_SECRET'] = 'sk-secret';
  try {
    const { file, out } = await put(endlessPdf());
    const controller = new AbortController();
    endIdleChildren();
    const before = pidsOf(process.pid);
    const running = extractPages(file, out, { timeoutSeconds: 60, signal: controller.signal });
    running.catch(() => {});
    const environment = await vi.waitFor(async () => {
      const pid = pidsOf(process.pid).find((each) => !before.includes(each));
      const [command, env] = await Promise.all(
        ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
      );
      expect(command).toContain('main.ts');
      return env;
    }, patient);
    expect(environment).toContain('MALLOC_ARENA_MAX');
    expect(environment).not.toContain('sk-secret');
    controller.abort();
    await running.catch(() => {});
  } finally {
    delete process.env['PDF_TEST_SECRET'];
  }
});

test.runIf(isLinux)(
  'signals to all processes of the service do not fail the copy that is being read',
  async () => {
    const bytes = await scannedPdf([await scan(), await scan({ lines: 10 })]);
    const out = await mkdtemp(join(folder, 'pipe-'));
    // The copy is a named pipe, so the child blocks in its read until the test writes.
    const file = join(out, 'copy.pdf');
    execFileSync('mkfifo', [file]);
    endIdleChildren();
    const before = pidsOf(process.pid);
    const extracting = extractPages(file, out, { timeoutSeconds: 60 });
    extracting.catch(() => {});
    // ENXIO until the child has opened the pipe.
    const pipe = await vi.waitFor(() => openSync(file, constants.O_WRONLY | constants.O_NONBLOCK), patient);
    const children = childrenOf(process.pid).filter(({ pid }) => !before.includes(pid));
    for (const { pid } of children) {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    }
    const writer = new Socket({ fd: pipe, readable: false, writable: true });
    // The extraction reports the child's death with more detail than the broken pipe.
    writer.on('error', () => {});
    writer.end(bytes);
    expect(await extracting).toHaveLength(2);
    // Only its own process group protects the child from Ctrl-C before its signal handlers are set.
    expect(children).toEqual([{ pid: children[0]?.pid, group: children[0]?.pid }]);
  },
);

test.runIf(isLinux)('a child blocked in its parser ends when its parent is killed', async () => {
  const { file, out } = await put(endlessPdf());
  const index = fileURLToPath(new URL('index.ts', import.meta.url));
  const program = `import(${JSON.stringify(index)}).then(({ extractPages }) => extractPages(${JSON.stringify(file)}, ${JSON.stringify(out)}, { timeoutSeconds: 100 }))`;
  const parent = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
  let before: number | undefined;
  const child = await vi.waitFor(async () => {
    expect(await readdir(out)).toContain('page-0001.jpg');
    const [{ pid } = { pid: 0 }] = childrenOf(parent.pid ?? 0);
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    const ticks = Number(fields[11]);
    before ??= ticks;
    // The child used more than 20 ticks of CPU, so it is inside the second page, which never ends.
    expect(ticks - before).toBeGreaterThan(20);
    return pid;
  }, patient);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await vi.waitFor(async () => {
    expect(await readdir('/proc')).not.toContain(String(child));
  }, patient);
});
