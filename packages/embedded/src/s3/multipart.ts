/**
 * Multipart uploads. State: `uploads/<id>/upload.json` in the bucket's folder names the key and the headers; a part is
 * the file `<number>.<md5>.<size>` beside it, put there by a rename once it is whole. Completing writes the object
 * first and removes the upload after it: a death in between leaves an upload that may be completed again, to the same
 * object, or aborted.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IncomingBody } from './body.ts';
import { S3Error } from './errors.ts';
import { replaceFile, writeDurably, type Bucket, type ObjectRecord } from './storage.ts';

/** S3's rules for every part but the last, and for part numbers. */
const MIN_PART_BYTES = 5 * 1024 ** 2;
const MAX_PARTS = 10_000;

interface Part {
  number: number;
  md5: string;
  size: number;
  file: string;
}

interface Upload {
  key: string;
  headers: Record<string, string>;
}

export async function createUpload(bucket: Bucket, upload: Upload): Promise<string> {
  const id = randomUUID();
  await mkdir(folderOf(bucket, id), { recursive: true });
  await replaceFile(join(folderOf(bucket, id), 'upload.json'), JSON.stringify(upload));
  return id;
}

/** @returns the part's etag. @throws S3Error NoSuchUpload, InvalidArgument */
export async function putPart(
  bucket: Bucket,
  key: string,
  target: { uploadId: string; partNumber: string },
  body: IncomingBody,
): Promise<{ etag: string; checksums: Record<string, string> }> {
  const number = Number(target.partNumber);
  if (!/^\d{1,5}$/.test(target.partNumber) || number < 1 || number > MAX_PARTS) {
    throw new S3Error('InvalidArgument', `Part number must be an integer between 1 and ${MAX_PARTS}`);
  }
  await uploadOf(bucket, key, target.uploadId);
  const folder = folderOf(bucket, target.uploadId);
  const draft = join(folder, `incoming.${randomUUID()}`);
  await writeDurably(draft, body.data);
  const { md5, size, checksums } = body.summary();
  const file = `${number}.${md5}.${size}`;
  await rename(draft, join(folder, file));
  for (const other of await partsOf(folder)) {
    if (other.number === number && other.file !== file) await rm(join(folder, other.file), { force: true });
  }
  return { etag: md5, checksums };
}

/**
 * Joins the parts in the order given into the object.
 * @throws S3Error NoSuchUpload, InvalidPart, InvalidPartOrder, EntityTooSmall
 */
export async function completeUpload(
  bucket: Bucket,
  key: string,
  uploadId: string,
  listed: { number: number; etag: string }[],
  precondition: (present: ObjectRecord | undefined) => void,
): Promise<ObjectRecord> {
  const upload = await uploadOf(bucket, key, uploadId);
  const folder = folderOf(bucket, uploadId);
  const parts = chosenParts(await partsOf(folder), listed);
  const md5s = Buffer.concat(parts.map(({ md5 }) => Buffer.from(md5, 'hex')));
  const blob = await bucket.writeBlob(joined(parts.map(({ file }) => join(folder, file))));
  const record: ObjectRecord = {
    key,
    blob: blob.name,
    size: blob.size,
    etag: `${createHash('md5').update(md5s).digest('hex')}-${parts.length}`,
    lastModified: new Date().toISOString(),
    checksums: {},
    headers: upload.headers,
  };
  try {
    await bucket.commit(record, precondition);
  } catch (error) {
    await bucket.dropBlob(blob.name);
    throw error;
  }
  await rm(folder, { recursive: true, force: true });
  return record;
}

/** @throws S3Error NoSuchUpload */
export async function abortUpload(bucket: Bucket, key: string, uploadId: string): Promise<void> {
  await uploadOf(bucket, key, uploadId);
  await rm(folderOf(bucket, uploadId), { recursive: true, force: true });
}

/** The parts present, by number. @throws S3Error NoSuchUpload */
export async function listParts(bucket: Bucket, key: string, uploadId: string): Promise<Part[]> {
  await uploadOf(bucket, key, uploadId);
  return (await partsOf(folderOf(bucket, uploadId))).sort((a, b) => a.number - b.number);
}

function chosenParts(present: Part[], listed: { number: number; etag: string }[]): Part[] {
  if (listed.length === 0) throw new S3Error('MalformedXML', 'The list of parts is empty');
  return listed.map(({ number, etag }, index) => {
    if (index > 0 && number <= (listed[index - 1]?.number ?? 0)) {
      throw new S3Error('InvalidPartOrder', 'The list of parts was not in ascending order.');
    }
    const part = present.find((candidate) => candidate.number === number && candidate.md5 === etag);
    if (part === undefined) {
      throw new S3Error('InvalidPart', 'One or more of the specified parts could not be found.');
    }
    if (part.size < MIN_PART_BYTES && index < listed.length - 1) {
      throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
    }
    return part;
  });
}

async function* joined(files: string[]): AsyncGenerator<Buffer> {
  for (const file of files) {
    for await (const piece of createReadStream(file)) yield Buffer.from(piece);
  }
}

async function uploadOf(bucket: Bucket, key: string, uploadId: string): Promise<Upload> {
  if (/^[0-9a-f-]{36}$/.test(uploadId)) {
    try {
      const upload: Upload = JSON.parse(
        await readFile(join(folderOf(bucket, uploadId), 'upload.json'), 'utf8'),
      );
      if (upload.key === key) return upload;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  throw new S3Error('NoSuchUpload', 'The specified multipart upload does not exist.');
}

async function partsOf(folder: string): Promise<Part[]> {
  return (await readdir(folder)).flatMap((file) => {
    const [, number, md5, size] = /^(\d+)\.([0-9a-f]{32})\.(\d+)$/.exec(file) ?? [];
    return md5 === undefined ? [] : [{ number: Number(number), md5, size: Number(size), file }];
  });
}

const folderOf = (bucket: Bucket, uploadId: string) => join(bucket.folder, 'uploads', uploadId);
