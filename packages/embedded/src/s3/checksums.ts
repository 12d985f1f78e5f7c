/** The checksums a client may send with a body, in a header or in a trailer, and their verification. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { S3Error } from './errors.ts';
import type { S3Request } from './request.ts';

/** Takes bytes, then gives the digest as base64. */
interface Digest {
  update(bytes: Buffer): void;
  base64(): string;
}

const ALGORITHMS: Record<string, () => Digest> = {
  crc32: () => crcDigest(crc32),
  crc32c: () => crcDigest(crc32c),
  sha1: () => hashDigest('sha1'),
  sha256: () => hashDigest('sha256'),
};

function hashDigest(name: string): Digest {
  const hash = createHash(name);
  return { update: (bytes) => void hash.update(bytes), base64: () => hash.digest('base64') };
}

function crcDigest(step: (bytes: Buffer, value: number) => number): Digest {
  let value = 0;
  return {
    update: (bytes) => void (value = step(bytes, value)),
    base64: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes.toString('base64');
    },
  };
}

/** Castagnoli's polynomial, bits reversed; Node has only the plain CRC-32. */
const CRC32C_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

function crc32c(bytes: Buffer, start: number): number {
  let value = ~start;
  for (const byte of bytes) value = (CRC32C_TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value >>> 0;
}

/** Watches a body go by, and in the end compares. */
export interface BodyCheck {
  update(bytes: Buffer): void;
  /**
   * @param trailers what came behind an aws-chunked body
   * @returns the body's MD5 in hex, and the checksums that were verified, by algorithm
   * @throws S3Error BadDigest, XAmzContentSHA256Mismatch
   */
  finish(trailers: Map<string, string>): { md5: string; checksums: Record<string, string> };
}

const HEADER = /^x-amz-checksum-(.+)$/;
/** Say which checksum is meant, not what it is. */
const NOT_A_CHECKSUM = new Set(['algorithm', 'type', 'mode']);

/**
 * @param payload the signed x-amz-content-sha256
 * @throws S3Error InvalidDigest for a malformed Content-MD5, NotImplemented for a checksum we cannot compute
 */
export function bodyCheck(request: S3Request, payload: string): BodyCheck {
  const expected = new Map<string, string>();
  for (const [name, value] of Object.entries(request.headers)) {
    const algorithm = HEADER.exec(name)?.[1];
    if (algorithm !== undefined && !NOT_A_CHECKSUM.has(algorithm)) expected.set(algorithm, value);
  }
  const announced = (request.headers['x-amz-trailer'] ?? '')
    .split(',')
    .flatMap((name) => HEADER.exec(name.trim().toLowerCase())?.[1] ?? []);
  const contentMd5 = request.headers['content-md5'];
  if (contentMd5 !== undefined && Buffer.from(contentMd5, 'base64').length !== 16) {
    throw new S3Error('InvalidDigest', 'The Content-MD5 you specified is not valid.');
  }

  const md5 = createHash('md5');
  const payloadHash = /^[0-9a-f]{64}$/.test(payload) ? createHash('sha256') : null;
  const digests = new Map<string, Digest>();
  for (const algorithm of [...expected.keys(), ...announced]) {
    const create = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined;
    if (create === undefined)
      throw new S3Error('NotImplemented', `The checksum ${algorithm} is not supported`);
    digests.set(algorithm, create());
  }

  return {
    update: (bytes) => {
      md5.update(bytes);
      payloadHash?.update(bytes);
      for (const digest of digests.values()) digest.update(bytes);
    },
    finish: (trailers) => {
      if (payloadHash !== null && payloadHash.digest('hex') !== payload) {
        throw new S3Error(
          'XAmzContentSHA256Mismatch',
          "The provided 'x-amz-content-sha256' header does not match what was computed.",
        );
      }
      const digest = md5.digest();
      if (contentMd5 !== undefined && digest.toString('base64') !== contentMd5.trim()) {
        throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.');
      }
      const checksums: Record<string, string> = {};
      for (const [algorithm, value] of digests) {
        const given = expected.get(algorithm) ?? trailers.get(`x-amz-checksum-${algorithm}`);
        const computed = value.base64();
        if (given !== computed) {
          throw new S3Error(
            'BadDigest',
            `The ${algorithm} you specified did not match the calculated checksum.`,
          );
        }
        checksums[algorithm] = computed;
      }
      return { md5: digest.toString('hex'), checksums };
    },
  };
}
