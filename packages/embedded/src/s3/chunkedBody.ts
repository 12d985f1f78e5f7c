/**
 * Decodes `aws-chunked` bodies: `size[;chunk-signature=…]CRLF data CRLF …`, a chunk of size 0, then trailers.
 * Signed chunks form a chain, each signature covering the one before it; a chunk's bytes are passed on before its
 * signature is known, so the receiver must not publish anything until the body has ended without an error.
 */
import { createHash } from 'node:crypto';
import { S3Error } from './errors.ts';
import { sameSignature, type SignatureCheck, type VerifiedRequest } from './signature.ts';

const MAX_LINE_BYTES = 16 * 1024;

export interface ChunkedBody {
  data: AsyncIterable<Buffer>;
  /** Lower-case names; complete once `data` has ended. */
  trailers: Map<string, string>;
}

/** Takes lines and counted bytes out of a stream of buffers. */
class Reader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#source.next();
    if (done === true) throw new S3Error('IncompleteBody', 'The body ended in the middle of a chunk');
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf('\r\n');
      if (end !== -1 && end <= MAX_LINE_BYTES) {
        const line = this.#rest.subarray(0, end).toString('latin1');
        this.#rest = this.#rest.subarray(end + 2);
        return line;
      }
      if (this.#rest.length > MAX_LINE_BYTES)
        throw new S3Error('InvalidRequest', 'A chunk header is too long');
      await this.#more();
    }
  }

  /** At least one byte and at most `limit`, without copying. */
  async some(limit: number): Promise<Buffer> {
    if (this.#rest.length === 0) await this.#more();
    const piece = this.#rest.subarray(0, limit);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  /** Whatever the client sends after the end is no part of the object. */
  async finish(): Promise<void> {
    const { done } = await this.#source.next();
    if (this.#rest.length > 0 || done !== true)
      throw new S3Error('InvalidRequest', 'The body goes on after its end');
  }
}

/** @throws S3Error (while iterating) IncompleteBody, InvalidRequest, SignatureDoesNotMatch */
export function chunkedBody(
  source: AsyncIterable<Buffer>,
  verified: VerifiedRequest,
  check: SignatureCheck,
): ChunkedBody {
  const trailers = new Map<string, string>();
  const isSigned = verified.payload.startsWith('STREAMING-AWS4-HMAC-SHA256-PAYLOAD');
  let previous = verified.signature;

  const checkNext = async (kind: string, given: string, digests: string[]) => {
    const { longDate, scope, signedAt } = verified;
    const expected = await check.signString(
      [kind, longDate, scope, previous, ...digests].join('\n'),
      signedAt,
    );
    if (!sameSignature(given, expected)) {
      throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk does not match');
    }
    previous = given;
  };
  const checkChunk = async (given: string, digest: string) => {
    if (isSigned) await checkNext('AWS4-HMAC-SHA256-PAYLOAD', given, [EMPTY_SHA256, digest]);
  };

  async function* data(): AsyncGenerator<Buffer> {
    const reader = new Reader(source);
    for (;;) {
      const { size, signature } = chunkHeader(await reader.line());
      if (size === 0) {
        await checkChunk(signature, EMPTY_SHA256);
        break;
      }
      const hash = createHash('sha256');
      for (let left = size; left > 0;) {
        const piece = await reader.some(left);
        left -= piece.length;
        if (isSigned) hash.update(piece);
        yield piece;
      }
      if ((await reader.line()) !== '') throw new S3Error('InvalidRequest', 'A chunk is longer than it says');
      await checkChunk(signature, isSigned ? hash.digest('hex') : '');
    }
    await readTrailers(reader);
    await reader.finish();
  }

  const readTrailers = async (reader: Reader) => {
    let signedText = '';
    for (let line = await reader.line(); line !== ''; line = await reader.line()) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).trim().toLowerCase();
      const value = line.slice(colon + 1).trim();
      if (colon < 1 || trailers.size > 20) throw new S3Error('InvalidRequest', 'A trailer is malformed');
      trailers.set(name, value);
      if (name !== 'x-amz-trailer-signature') signedText += `${name}:${value}\n`;
    }
    if (isSigned && verified.payload.endsWith('-TRAILER')) {
      const digest = createHash('sha256').update(signedText).digest('hex');
      await checkNext('AWS4-HMAC-SHA256-TRAILER', trailers.get('x-amz-trailer-signature') ?? '', [digest]);
    }
  };

  return { data: data(), trailers };
}

const EMPTY_SHA256 = createHash('sha256').digest('hex');

function chunkHeader(line: string): { size: number; signature: string } {
  const [, size, signature] = /^([0-9a-fA-F]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line) ?? [];
  if (size === undefined) throw new S3Error('InvalidRequest', 'A chunk header is malformed');
  return { size: Number.parseInt(size, 16), signature: signature ?? '' };
}
