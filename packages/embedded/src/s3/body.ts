/** Takes a request's body in: decoded, measured and checked while it streams, never held in memory as a whole. */
import type { IncomingMessage } from 'node:http';
import { bodyCheck } from './checksums.ts';
import { chunkedBody } from './chunkedBody.ts';
import { S3Error } from './errors.ts';
import type { S3Request } from './request.ts';
import type { SignatureCheck, VerifiedRequest } from './signature.ts';

/** S3's own bound for one PUT. */
const MAX_OBJECT_BYTES = 5 * 1024 ** 3;
/** Delete and complete-upload documents: 10,000 parts or 1000 keys of 1 KB each, with room. */
const MAX_DOCUMENT_BYTES = 4 * 1024 ** 2;

export interface BodySummary {
  size: number;
  /** Hex. */
  md5: string;
  /** Base64 by algorithm, only those that the client sent. */
  checksums: Record<string, string>;
}

/** A body on its way in: `data` must be read to its end, then `summary` says what it was. */
export interface IncomingBody {
  data: AsyncIterable<Buffer>;
  /** @throws Error before `data` has ended */
  summary(): BodySummary;
}

/**
 * @returns the object's bytes without their transfer coding; iterating throws S3Error EntityTooLarge, IncompleteBody,
 *   BadDigest, SignatureDoesNotMatch and so on, the last ones only at the end
 * @throws S3Error MissingContentLength
 */
export function incomingBody(
  request: S3Request,
  verified: VerifiedRequest,
  check: SignatureCheck,
): IncomingBody {
  const isChunked = verified.payload.startsWith('STREAMING-');
  if (
    isChunked &&
    !/^STREAMING-(UNSIGNED-PAYLOAD-TRAILER|AWS4-HMAC-SHA256-PAYLOAD(-TRAILER)?)$/.test(verified.payload)
  ) {
    throw new S3Error('NotImplemented', `${verified.payload} is not supported`);
  }
  const declared = request.headers[isChunked ? 'x-amz-decoded-content-length' : 'content-length'];
  if (declared === undefined || !/^\d{1,15}$/.test(declared)) {
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.');
  }
  const expectedSize = Number(declared);
  if (expectedSize > MAX_OBJECT_BYTES) {
    throw new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size');
  }
  const checks = bodyCheck(request, verified.payload);
  const plain = bytesOf(request.message);
  const source = isChunked
    ? chunkedBody(plain, verified, check)
    : { data: plain, trailers: new Map<string, string>() };
  let summary: BodySummary | undefined;

  async function* data(): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const piece of source.data) {
      size += piece.length;
      if (size > expectedSize)
        throw new S3Error('IncompleteBody', 'The body is longer than its declared length');
      checks.update(piece);
      yield piece;
    }
    if (size !== expectedSize) {
      throw new S3Error(
        'IncompleteBody',
        'You did not provide the number of bytes specified by Content-Length',
      );
    }
    summary = { size, ...checks.finish(source.trailers) };
  }

  return {
    data: data(),
    summary: () => {
      if (summary === undefined) throw new Error('the body has not been read to its end');
      return summary;
    },
  };
}

/** A small XML document sent as a body. @throws S3Error as `incomingBody`, and MalformedXML when it is too long */
export async function documentBody(body: IncomingBody): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body.data) {
    size += piece.length;
    if (size > MAX_DOCUMENT_BYTES) throw new S3Error('MalformedXML', 'The document is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** A client that goes away midway is an incomplete body, not a fault of ours. */
async function* bytesOf(message: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of message) yield Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
  } catch (error) {
    throw message.complete ? error : new S3Error('IncompleteBody', 'The connection ended before the body');
  }
}
