/** Reads request bodies as streams and measures and checks them. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { crc32 } from 'node:zlib';
import { S3Error } from './errors.ts';
import type { S3Request } from './request.ts';

/** S3's limit for one PUT. */
const MAX_OBJECT_BYTES = 5 * 1024 ** 3;
/** Limit of a delete document: 1000 keys of 1 KB, with room to spare. */
const MAX_DOCUMENT_BYTES = 4 * 1024 ** 2;

interface BodySummary {
  size: number;
  md5: string;
}

/** `data` must be read to its end before `summary` is called. */
export interface IncomingBody {
  data: AsyncIterable<Buffer>;
  /** @throws Error before `data` has ended */
  summary(): BodySummary;
}

/**
 * @param payload the signed x-amz-content-sha256
 * @returns the body; iterating throws S3Error IncompleteBody and, at the end, BadDigest or XAmzContentSHA256Mismatch
 * @throws S3Error MissingContentLength, EntityTooLarge, NotImplemented for a body in signed chunks
 */
export const incomingBody = ({ headers, message }: S3Request, payload: string): IncomingBody => {
  const isHashed = /^[0-9a-f]{64}$/.test(payload);
  if (!isHashed && payload !== 'UNSIGNED-PAYLOAD') {
    throw new S3Error('NotImplemented', `${payload} is not supported`);
  }
  const declared = headers['content-length'];
  if (declared === undefined || !/^\d{1,15}$/.test(declared)) {
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.');
  }
  const expectedSize = Number(declared);
  if (expectedSize > MAX_OBJECT_BYTES) {
    throw new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size');
  }
  let summary: BodySummary | undefined;

  async function* data(): AsyncGenerator<Buffer> {
    const [md5, sha256] = [createHash('md5'), createHash('sha256')];
    let crc = 0;
    let size = 0;
    for await (const piece of bytesOf(message)) {
      size += piece.length;
      md5.update(piece);
      if (isHashed) sha256.update(piece);
      crc = crc32(piece, crc);
      yield piece;
    }
    if (size !== expectedSize) {
      throw new S3Error(
        'IncompleteBody',
        'You did not provide the number of bytes specified by Content-Length',
      );
    }
    if (isHashed && sha256.digest('hex') !== payload) {
      throw new S3Error(
        'XAmzContentSHA256Mismatch',
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      );
    }
    const checksum = headers['x-amz-checksum-crc32'];
    if (checksum !== undefined && checksum !== base64Of(crc)) {
      throw new S3Error('BadDigest', 'The crc32 you specified did not match the calculated checksum.');
    }
    summary = { size, md5: md5.digest('hex') };
  }

  return {
    data: data(),
    summary: () => {
      if (summary === undefined) throw new Error('the body has not been read to its end');
      return summary;
    },
  };
};

/** @throws S3Error as `incomingBody`, and MalformedXML when the document is too long */
export const documentBody = async (body: IncomingBody): Promise<string> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body.data) {
    size += piece.length;
    if (size > MAX_DOCUMENT_BYTES) throw new S3Error('MalformedXML', 'The document is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
};

const base64Of = (crc: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes.toString('base64');
};

/** A connection closed by the client becomes IncompleteBody, not an internal error. */
async function* bytesOf(message: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of message) yield Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
  } catch (error) {
    throw message.complete ? error : new S3Error('IncompleteBody', 'The connection ended before the body');
  }
}
