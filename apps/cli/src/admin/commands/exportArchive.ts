import { CommandFailure } from '../failures.ts';
import { messageOf, type Destination } from './writeExport.ts';

/*
 * Writes an export as a POSIX tar (ustar), for machines without a writable disk: the container of core has a read-only
 * file system. The archive has one folder with the same content as `exportFolder` writes. `candidate.json` is the last
 * entry; an archive without it is incomplete.
 */

const BLOCK = 512;

/**
 * @param write writes to the archive; resolves when it can take more
 * @throws CommandFailure archive_not_written, file_not_fetched, from each method
 */
export const exportArchive = (write: (bytes: Uint8Array) => Promise<unknown>): Destination => {
  let folder = '';
  const document: string[] = [];
  const put = async (bytes: Uint8Array): Promise<void> => {
    try {
      await write(bytes);
    } catch (error) {
      throw new CommandFailure('archive_not_written', `The archive cannot be written: ${messageOf(error)}`);
    }
  };
  const entry = async (path: string, content: Uint8Array): Promise<void> => {
    await put(headerOf(`${folder}/${path}`, content.byteLength));
    await put(content);
    await put(padding(content.byteLength));
  };
  return {
    begin: async (exported) => {
      folder = `candidate-${exported.candidate_id}`;
      await put(headerOf(`${folder}/`, 0));
      await entry('export.json', Buffer.from(`${JSON.stringify(exported)}\n`));
    },
    file: async (path, sizeBytes, fetchFile) => {
      const place = `${folder}/${path}`;
      let size = 0;
      try {
        const content = await fetchFile();
        await put(headerOf(place, sizeBytes));
        for await (const chunk of content as AsyncIterable<Uint8Array>) {
          size += chunk.byteLength;
          // More bytes than the header states would be read as the next entry.
          if (size > sizeBytes) throw new Error('the file is longer than recorded');
          await put(chunk);
        }
        if (size < sizeBytes) throw new Error('the download is incomplete');
      } catch (error) {
        if (error instanceof CommandFailure) throw error;
        throw new CommandFailure(
          'file_not_fetched',
          `${place} could not be fetched: ${messageOf(error)}. The archive is incomplete: run the same command again.`,
        );
      }
      await put(padding(sizeBytes));
    },
    // Kept in memory until the end, because the header before it states its size. It holds the data of one candidate
    // without the files.
    say: async (text) => void document.push(text),
    end: async () => {
      await entry('candidate.json', Buffer.from(document.join('')));
      await put(Buffer.alloc(2 * BLOCK));
    },
    close: async () => {},
  };
};

const padding = (size: number): Uint8Array => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** A path longer than 100 bytes is split at a `/`. @throws RangeError if ustar cannot hold the path or the size */
const headerOf = (path: string, size: number): Uint8Array => {
  const cut = path.length <= 100 ? -1 : path.indexOf('/', path.length - 101);
  const [prefix, name] = [path.slice(0, Math.max(cut, 0)), path.slice(cut + 1)];
  const isFolder = path.endsWith('/');
  const octal = (number: number, width: number) => `${number.toString(8).padStart(width - 1, '0')}\0`;
  if (
    name === '' ||
    name.length > 100 ||
    prefix.length > 155 ||
    size >= 8 ** 11 ||
    !/^[\x21-\x7E]+$/.test(path)
  ) {
    throw new RangeError(`${path} of ${size} bytes does not fit into an archive`);
  }
  const header = Buffer.alloc(BLOCK);
  const fields: readonly [at: number, text: string][] = [
    [0, name],
    [100, octal(isFolder ? 0o700 : 0o600, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(Math.floor(Date.now() / 1000), 12)],
    // The checksum is computed with blanks in its own field.
    [148, ' '.repeat(8)],
    [156, isFolder ? '5' : '0'],
    [257, 'ustar\u000000'],
    [345, prefix],
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
};
