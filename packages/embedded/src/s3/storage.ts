/**
 * Objects on disk. State, all below one bucket's folder:
 *   blobs/<uuid>               the bytes of one version of an object, never changed after they are complete
 *   objects/<sha256 of key>.json   the object's record: its key, its blob, etag and headers
 * An object exists by its record, which is replaced by an atomic rename after blob and record are on the disk. A
 * death before the rename leaves a blob that no record names; opening the storage removes those. File names come from
 * hashes and random ids only, so no key can reach outside the folder. Records are kept in memory as well, which is
 * right because one process owns the folder; commits to one key are made one after the other.
 */
import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { S3Error } from './errors.ts';

export interface ObjectRecord {
  key: string;
  /** Name of the file that holds the bytes. */
  blob: string;
  size: number;
  /** Without quotes: MD5 in hex. */
  etag: string;
  /** ISO 8601. */
  lastModified: string;
  /** Response headers kept with the object, lower-case. */
  headers: Record<string, string>;
}

/** Bytes that are on the disk and belong to no object yet. */
export interface Blob {
  name: string;
  size: number;
}

export interface Bucket {
  name: string;
  folder: string;
  get(key: string): ObjectRecord | undefined;
  /** The object and its open bytes, which stay readable when it is replaced meanwhile. The caller closes the file. */
  read(key: string): Promise<{ record: ObjectRecord; file: FileHandle }>;
  /** Keys that begin with `prefix`, in the order of their UTF-8 bytes. */
  keys(prefix: string): string[];
  writeBlob(data: AsyncIterable<Buffer>): Promise<Blob>;
  /** Another name, in this bucket, for the bytes of a blob of `from`. */
  copyBlob(from: Bucket, name: string): Promise<Blob>;
  dropBlob(name: string): Promise<void>;
  /** Makes the record the object of its key, durably. */
  commit(record: ObjectRecord): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface Storage {
  /** @throws S3Error NoSuchBucket */
  bucket(name: string): Bucket;
  /** @throws S3Error InvalidBucketName, BucketAlreadyOwnedByYou */
  createBucket(name: string): Promise<void>;
}

const BUCKET_NAME = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export async function openStorage(folder: string): Promise<Storage> {
  const buckets = new Map<string, Bucket>();
  let creating: Promise<void> = Promise.resolve();
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (BUCKET_NAME.test(name)) buckets.set(name, await openBucket(join(folder, name), name));
  }
  const bucket = (name: string): Bucket => {
    const found = buckets.get(name);
    if (found === undefined) throw new S3Error('NoSuchBucket', 'The specified bucket does not exist');
    return found;
  };
  return {
    bucket,
    createBucket: (name) => {
      // One after the other: opening a bucket sweeps its folder, which must not meet a bucket in use.
      const mine = creating.then(async () => {
        if (!BUCKET_NAME.test(name))
          throw new S3Error('InvalidBucketName', 'The specified bucket is not valid.');
        if (buckets.has(name)) {
          throw new S3Error('BucketAlreadyOwnedByYou', 'You already own the bucket you tried to create.');
        }
        buckets.set(name, await openBucket(join(folder, name), name));
        await syncFolder(folder);
      });
      creating = mine.catch(() => {});
      return mine;
    },
  };
}

async function openBucket(folder: string, name: string): Promise<Bucket> {
  const [blobs, objects] = [join(folder, 'blobs'), join(folder, 'objects')];
  await mkdir(blobs, { recursive: true });
  await mkdir(objects, { recursive: true });
  const records = await readRecords(objects);
  const named = new Set([...records.values()].map(({ blob }) => blob));
  for (const blob of await readdir(blobs)) if (!named.has(blob)) await rm(join(blobs, blob), { force: true });

  const recordFile = (key: string) => join(objects, `${createHash('sha256').update(key).digest('hex')}.json`);
  const dropBlob = (blob: string) => rm(join(blobs, blob), { force: true });
  const turns = new Map<string, Promise<unknown>>();
  /** Runs the changes of one key one after the other. */
  const inTurn = async <T>(key: string, change: () => Promise<T>): Promise<T> => {
    const mine = (turns.get(key) ?? Promise.resolve()).then(change, change);
    turns.set(key, mine);
    try {
      return await mine;
    } finally {
      if (turns.get(key) === mine) turns.delete(key);
    }
  };

  return {
    name,
    folder,
    get: (key) => records.get(key),
    read: async (key) => {
      for (;;) {
        const record = records.get(key);
        if (record === undefined) throw new S3Error('NoSuchKey', 'The specified key does not exist.');
        try {
          return { record, file: await open(join(blobs, record.blob), 'r') };
        } catch (error) {
          // Replaced between the look-up and the opening: look again. A record without its blob is a fault.
          if (records.get(key) === record) throw error;
        }
      }
    },
    keys: (prefix) =>
      [...records.keys()]
        .filter((key) => key.startsWith(prefix))
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    writeBlob: async (data) => {
      const blob = randomUUID();
      const size = await writeDurably(join(blobs, blob), data);
      return { name: blob, size };
    },
    copyBlob: async (from, original) => {
      const blob = randomUUID();
      await link(join(from.folder, 'blobs', original), join(blobs, blob));
      return { name: blob, size: (await stat(join(blobs, blob))).size };
    },
    dropBlob,
    commit: (record) =>
      inTurn(record.key, async () => {
        const present = records.get(record.key);
        await syncFolder(blobs);
        await replaceFile(recordFile(record.key), JSON.stringify(record));
        await syncFolder(objects);
        records.set(record.key, record);
        if (present !== undefined) await dropBlob(present.blob);
      }),
    remove: (key) =>
      inTurn(key, async () => {
        const present = records.get(key);
        if (present === undefined) return;
        await rm(recordFile(key), { force: true });
        await syncFolder(objects);
        records.delete(key);
        await dropBlob(present.blob);
      }),
  };
}

async function readRecords(folder: string): Promise<Map<string, ObjectRecord>> {
  const records = new Map<string, ObjectRecord>();
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) {
      // A record that a death left half written.
      await rm(join(folder, name), { force: true });
      continue;
    }
    const record: ObjectRecord = JSON.parse(await readFile(join(folder, name), 'utf8'));
    records.set(record.key, record);
  }
  return records;
}

/** Streams into a new file and syncs it; nothing of it stays when the stream fails. @returns its size in bytes */
async function writeDurably(path: string, data: AsyncIterable<Buffer>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  let size = 0;
  try {
    for await (const piece of data) {
      for (let at = 0; at < piece.length;) at += (await file.write(piece, at)).bytesWritten;
      size += piece.length;
    }
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => {});
    await rm(path, { force: true });
    throw error;
  }
  return size;
}

/** Writes aside, syncs and renames: readers and crashes see the old text or the new one. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
