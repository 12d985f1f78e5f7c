import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportArchive } from './exportArchive.ts';

/* Extracts archives with the machine's `tar`. */

const tar = promisify(execFile);
const exported = { institute_id: randomUUID(), candidate_id: randomUUID() };
const folder = `candidate-${exported.candidate_id}`;
const evidence = `files/${randomUUID()}/evidence/${randomUUID()}/${randomBytes(32).toString('hex')}.json.gz`;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'archive-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const archiveIn = (chunks: Uint8Array[]) => exportArchive(async (bytes) => void chunks.push(bytes));
const inPieces = (...pieces: Uint8Array[]) => Promise.resolve(Readable.from(pieces));

test('an archive extracts to the same files as a folder export, readable by the owner only, with candidate.json last', async () => {
  const scan = randomBytes(100_000);
  const chunks: Uint8Array[] = [];
  const archive = archiveIn(chunks);
  await archive.begin(exported);
  await archive.say('{"candidate":');
  await archive.file('files/a/copy.pdf', scan.byteLength, () =>
    inPieces(scan.subarray(0, 70_000), scan.subarray(70_000)),
  );
  await archive.file(evidence, 512, () => inPieces(Buffer.alloc(512, 'x')));
  await archive.file('files/a/empty', 0, () => inPieces());
  await archive.say('"Zoë"}');
  await archive.end();
  await archive.close();
  const file = join(root, 'whole.tar');
  await writeFile(file, Buffer.concat(chunks));

  const { stdout } = await tar('tar', ['-tf', file]);
  expect(stdout.trim().split('\n')).toEqual(
    ['', 'export.json', 'files/a/copy.pdf', evidence, 'files/a/empty', 'candidate.json'].map(
      (path) => `${folder}/${path}`,
    ),
  );
  await tar('tar', ['-xf', file, '-C', root]);
  const text = (path: string) => readFile(join(root, folder, path), 'utf8');
  expect(await text('candidate.json')).toBe('{"candidate":"Zoë"}');
  expect(JSON.parse(await text('export.json'))).toEqual(exported);
  expect(await readFile(join(root, folder, 'files/a/copy.pdf'))).toEqual(scan);
  expect(await text(evidence)).toBe('x'.repeat(512));
  expect((await stat(join(root, folder, 'files/a/empty'))).size).toBe(0);
  expect((await stat(join(root, folder))).mode & 0o077).toBe(0);
  expect((await stat(join(root, folder, 'candidate.json'))).mode & 0o077).toBe(0);
});

test.each([
  ['is shorter than recorded', [Buffer.alloc(3)]],
  ['is longer than recorded', [Buffer.alloc(3), Buffer.alloc(3)]],
])('a file that %s fails the export, and nothing is written after it', async (_what, pieces) => {
  const chunks: Uint8Array[] = [];
  const archive = archiveIn(chunks);
  await archive.begin(exported);
  await expect(archive.file('files/a/copy.pdf', 5, () => inPieces(...pieces))).rejects.toMatchObject({
    code: 'file_not_fetched',
  });
  const sizes = chunks.map(({ byteLength }) => byteLength);
  // Only the header and the first piece of the file were written.
  expect(sizes.slice(-2)).toEqual([512, 3]);
});

test('a closed output fails the export with archive_not_written', async () => {
  const archive = exportArchive(() => Promise.reject(new Error('write EPIPE')));
  await expect(archive.begin(exported)).rejects.toMatchObject({
    code: 'archive_not_written',
    message: expect.stringContaining('EPIPE'),
  });
});
