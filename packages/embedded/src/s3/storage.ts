/**
 * Objects on disk. State, all below one bucket's folder:
 *   blobs/<uuid>                   the bytes of one version of an object; never changed once complete
 *   objects/<sha256 of key>.json   the object's record: key, blob, etag and headers
 * An object exists when its record exists. The record is replaced by an atomic rename after blob and record are
 * synced to disk. A crash before the rename leaves a blob without a record; opening the storage removes such blobs.
 * File names are hashes and random ids only, so that no key can reach outside the folder. Records are cached in
 * memory, because one process owns the folder. Commits to the same key run one after the other.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  link,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../dataFolder.ts';
import { S3Error } from './errors.ts';

export interface ObjectRecord {
  key: string;
  blob: string;
  size: number;
  /** MD5 in hex, without quotes. */
  etag: string;
  lastModified: string;
  /** Response headers stored with the object, in lower case. */
  headers: Record<string, string>;
}

/** Bytes on disk that belong to no object yet. */
interface Blob {
  name: string;
  size: number;
}

export interface Bucket {
  name: string;
  folder: string;
  get(key: string): ObjectRecord | undefined;
  /** The file stays readable when the object is replaced. The caller closes it. */
  read(key: string): Promise<{ record: ObjectRecord; file: FileHandle }>;
  /** Keys with the prefix, in the order of their UTF-8 bytes. */
  keys(prefix: string): string[];
  writeBlob(data: AsyncIterable<Buffer>): Promise<Blob>;
  /** Links the bytes of a blob of `from` into this bucket. */
  copyBlob(from: Bucket, name: string): Promise<Blob>;
  dropBlob(name: string): Promise<void>;
  commit(record: ObjectRecord): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface Storage {
  /** @throws S3Error NoSuchBucket */
  bucket(name: string): Bucket;
  /** @throws S3Error InvalidBucketName, BucketAlreadyOwnedByYou */
  createBucket(name: string): Promise<void>;
}

/** Only the user that runs the service sees the names and sizes of files. */
const OWN = { recursive: true, mode: 0o700 } as const;

const BUCKET_NAME = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export const openStorage = async (folder: string): Promise<Storage> => {
  const buckets = new Map<string, Bucket>();
  let creating: Promise<void> = Promise.resolve();
  await mkdir(folder, OWN);
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
      // Serialised, because `openBucket` removes unnamed blobs and must not run on a bucket in use.
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
};

const openBucket = async (folder: string, name: string): Promise<Bucket> => {
  const [blobs, objects] = [join(folder, 'blobs'), join(folder, 'objects')];
  await mkdir(blobs, OWN);
  await mkdir(objects, OWN);
  const records = await readRecords(objects);
  const named = new Set([...records.values()].map(({ blob }) => blob));
  for (const blob of await readdir(blobs)) if (!named.has(blob)) await rm(join(blobs, blob), { force: true });

  const recordFile = (key: string) => join(objects, `${createHash('sha256').update(key).digest('hex')}.json`);
  const dropBlob = (blob: string) => rm(join(blobs, blob), { force: true });
  const turns = new Map<string, Promise<unknown>>();
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
          // Retry when the object was replaced between look-up and open. A record without its blob is an error.
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
};

const readRecords = async (folder: string): Promise<Map<string, ObjectRecord>> => {
  const records = new Map<string, ObjectRecord>();
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) {
      // A draft left by a crash.
      await rm(join(folder, name), { force: true });
      continue;
    }
    const record: ObjectRecord = JSON.parse(await readFile(join(folder, name), 'utf8'));
    records.set(record.key, record);
  }
  return records;
};

/** Writes and syncs a new file, or removes it when the stream fails. @returns size in bytes */
const writeDurably = async (path: string, data: AsyncIterable<Buffer>): Promise<number> => {
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
};

/** Writes to a draft, syncs and renames: after a crash the file has the old or the new text. */
export const replaceFile = async (file: string, text: string): Promise<void> => {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true });
  await rename(draft, file);
};
