import { ChildProcess, execFile } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endlessPdf, scan, scannedPdf, textPdf } from '../../test/pdfs.ts';
import { drawCheckedCopy, endIdleChildren, extractPages, inspectPdf } from '../index.ts';
import { Pdfium } from '../pdfium.ts';

/** Processes that this file's tests started. */
const started: ChildProcess[] = [];
channel('child_process').subscribe((message) => {
  if (typeof message !== 'object' || message === null || !('process' in message)) return;
  if (message.process instanceof ChildProcess) started.push(message.process);
});
const alive = () =>
  started.filter(
    ({ exitCode, signalCode, spawnargs }) =>
      exitCode === null && signalCode === null && spawnargs.some((each) => each.endsWith('main.ts')),
  );

let folder: string;
beforeAll(async () => {
  // An idle child of an earlier test file would serve the first test.
  endIdleChildren();
  folder = await mkdtemp(join(tmpdir(), 'reuse-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  endIdleChildren();
  await vi.waitFor(() => expect(alive()).toEqual([]), 10_000);
});

const limits = { timeoutSeconds: 60 };
let runs = 0;
const put = async (bytes: Buffer): Promise<{ file: string; out: string }> => {
  const out = join(folder, String(runs++));
  await mkdir(out);
  await writeFile(join(out, 'copy.pdf'), bytes);
  return { file: join(out, 'copy.pdf'), out };
};
const extract = async (bytes: Buffer) => {
  const { file, out } = await put(bytes);
  return { out, pages: await extractPages(file, out, limits) };
};
const text = () => textPdf([['Photosynthesis needs light']]);

test('one child inspects and reads files one after the other, and another draws', async () => {
  const { file } = await put(await text());
  expect(await inspectPdf(file, limits)).toMatchObject({ ok: true });
  const [reader] = alive();
  expect(reader).toBeDefined();
  const { out, pages } = await extract(await text());
  expect(pages[0]).toMatchObject({ page: 1, state: 'written' });
  expect(alive()).toEqual([reader]);
  const plan = {
    examTitle: 'Biology',
    candidate: { externalId: 'STU-417', name: null, rollNumber: null },
    totals: { awarded: 1, max: 5, percentage: 20 },
    questions: [],
    annotations: [],
    ink: [],
  };
  await drawCheckedCopy(pages, join(out, 'checked.pdf'), plan, limits);
  const both = alive();
  await drawCheckedCopy(pages, join(out, 'again.pdf'), plan, limits);
  expect(alive()).toEqual(both);
  expect(both).toHaveLength(2);
});

test('a child in which native code has decoded a scan reads no other file', async () => {
  await extract(await text());
  const [warm] = alive();
  await extract(await scannedPdf([await scan({ width: 300, height: 424 })]));
  await vi.waitFor(() => expect(alive()).toEqual([]), 10_000);
  await extract(await text());
  expect(alive()).not.toContain(warm);
});

test('a child reads no other file after a file that failed or used up its time', async () => {
  for (const bad of [Buffer.from('%PDF-1.7 and no more'), endlessPdf()]) {
    await extract(await text());
    const { file, out } = await put(bad);
    await expect(extractPages(file, out, { timeoutSeconds: 1 })).rejects.toThrow();
    await vi.waitFor(() => expect(alive()).toEqual([]), 10_000);
  }
});

test('an idle child that was killed fails no file', async () => {
  await extract(await text());
  for (const child of alive()) child.kill('SIGKILL');
  expect((await extract(await text())).pages).toHaveLength(1);
});

test('idle children keep no process alive and end with it', async () => {
  const { file } = await put(await text());
  const index = fileURLToPath(new URL('../index.ts', import.meta.url));
  const program = `import(${JSON.stringify(index)})
    .then(({ inspectPdf }) => inspectPdf(${JSON.stringify(file)}, { timeoutSeconds: 60 }))
    .then(() => process.stdout.write(require('node:child_process').execFileSync('ps', ['-o', 'pid=', '--ppid', String(process.pid)])))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
  const pids = stdout.trim().split(/\s+/).map(Number);
  await vi.waitFor(() => {
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  }, 10_000);
});

test('each file gets a PDFium with memory of its own', async () => {
  const [one, other] = [await Pdfium.start(), await Pdfium.start()];
  expect(one.native.HEAPU8.buffer).not.toBe(other.native.HEAPU8.buffer);
  const at = one.allocate(16);
  one.native.HEAPU8.fill(0xa5, at, at + 16);
  expect(Buffer.from(other.native.HEAPU8.buffer).includes(Buffer.alloc(16, 0xa5))).toBe(false);
});

/** Functions of the host that PDFium can call. Its files are in memory, one file system per instance. */
const harmless =
  /^(invoke_\w+|_tzset_js|_abort_js|emscripten_date_now|emscripten_resize_heap|_emscripten_throw_longjmp|_localtime_js|_gmtime_js|environ_get|environ_sizes_get|fd_(close|write|read|sync|seek)|__syscall_(openat|fcntl64|ioctl|fstat64|stat64|newfstatat|lstat64|ftruncate64|getdents64|unlinkat|rmdir))$/;

test('PDFium can call no function of the host that runs code or reaches files, processes or the network', async () => {
  const imports = WebAssembly.Module.imports(await Pdfium.compile());
  expect(imports.filter(({ kind, name }) => kind !== 'function' || !harmless.test(name))).toEqual([]);
  const glue = await readFile(createRequire(import.meta.url).resolve('@hyzyla/pdfium'), 'utf8');
  expect(glue).not.toMatch(/\b(NODEFS|NODERAWFS)\b|\beval\(|new Function\(/);
});
