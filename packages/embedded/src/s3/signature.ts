/**
 * Verifies AWS signature version 4, in the Authorization header or in a presigned query. The request is signed again
 * with the known secret by the clients' library, and both signatures are compared in constant time.
 */
import { createHash, createHmac, timingSafeEqual, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { S3Error } from './errors.ts';
import { parameter, type S3Request } from './request.ts';

interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface SignatureCheck {
  /**
   * @returns the signed x-amz-content-sha256: a hex digest, or UNSIGNED-PAYLOAD
   * @throws S3Error AccessDenied, SignatureDoesNotMatch and other S3 errors
   */
  verify(request: S3Request): Promise<string>;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_SKEW_MS = 15 * 60 * 1000;
const MAX_EXPIRES_SECONDS = 7 * 24 * 60 * 60;
const PAYLOAD_HEADER = 'x-amz-content-sha256';

class Sha256 {
  readonly #hash: Hash | Hmac;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    if (secret === undefined) this.#hash = createHash('sha256');
    else if (typeof secret === 'string') this.#hash = createHmac('sha256', secret);
    else this.#hash = createHmac('sha256', bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === 'string' ? data : bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    throw new Error('a hash is used once');
  }
}

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);

interface Claim {
  credential: string;
  signedHeaders: string[];
  signature: string;
  longDate: string;
}

export const signatureCheck = (credentials: Credentials, region: string): SignatureCheck => {
  const signer = new SignatureV4({
    credentials,
    region,
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });

  const checkScope = ({ credential, longDate }: Claim): void => {
    const slash = credential.indexOf('/');
    if (credential.slice(0, slash) !== credentials.accessKeyId) {
      throw new S3Error(
        'InvalidAccessKeyId',
        'The access key id you provided does not exist in our records.',
      );
    }
    const scope = `${longDate.slice(0, 8)}/${region}/s3/aws4_request`;
    if (credential.slice(slash + 1) !== scope) {
      throw new S3Error('AuthorizationHeaderMalformed', `The credential's scope must be ${scope}`);
    }
  };

  const verifyHeader = async (request: S3Request, authorization: string): Promise<string> => {
    const claim = claimOfHeader(authorization, request.headers['x-amz-date'] ?? '');
    const signedAt = dateOf(claim.longDate);
    if (Math.abs(Date.now() - signedAt.getTime()) > MAX_SKEW_MS) {
      throw new S3Error(
        'RequestTimeTooSkewed',
        'The difference between the request time and the current time is too large.',
      );
    }
    checkScope(claim);
    const headers = signedHeadersOf(request, claim);
    const payload = headers[PAYLOAD_HEADER];
    if (payload === undefined)
      throw new S3Error('InvalidRequest', `Missing required header ${PAYLOAD_HEADER}`);
    const again = await signer.sign(signable(request, request.query, headers), {
      signingDate: signedAt,
      signableHeaders: new Set(claim.signedHeaders),
    });
    compare(claim.signature, signatureOfHeader(again.headers['authorization'] ?? ''));
    return payload;
  };

  const verifyQuery = async (request: S3Request): Promise<string> => {
    const claim: Claim = {
      credential: required(request, 'X-Amz-Credential'),
      signedHeaders: required(request, 'X-Amz-SignedHeaders').split(';'),
      signature: required(request, 'X-Amz-Signature'),
      longDate: required(request, 'X-Amz-Date'),
    };
    if (required(request, 'X-Amz-Algorithm') !== ALGORITHM) {
      throw new S3Error('AuthorizationQueryParametersError', `X-Amz-Algorithm only supports "${ALGORITHM}"`);
    }
    const signedAt = dateOf(claim.longDate);
    const expires = required(request, 'X-Amz-Expires');
    if (!/^\d{1,6}$/.test(expires) || Number(expires) < 1 || Number(expires) > MAX_EXPIRES_SECONDS) {
      throw new S3Error(
        'AuthorizationQueryParametersError',
        `X-Amz-Expires must be 1 to ${MAX_EXPIRES_SECONDS} seconds`,
      );
    }
    const age = Date.now() - signedAt.getTime();
    if (age < -MAX_SKEW_MS) throw new S3Error('AccessDenied', 'Request is not yet valid');
    if (age > Number(expires) * 1000) throw new S3Error('AccessDenied', 'Request has expired');
    checkScope(claim);
    const headers = signedHeadersOf(request, claim);
    const payload =
      headers[PAYLOAD_HEADER] ?? parameter(request, 'X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD';
    // The signer adds these parameters itself; all others are part of the signed request.
    const own = /^x-amz-(algorithm|credential|date|expires|signedheaders|signature)$/i;
    const query = Object.fromEntries(Object.entries(request.query).filter(([name]) => !own.test(name)));
    const again = await signer.presign(signable(request, query, { ...headers, [PAYLOAD_HEADER]: payload }), {
      signingDate: signedAt,
      expiresIn: Number(expires),
      signableHeaders: new Set(claim.signedHeaders),
      // The signer needs the payload hash, but the hash is a signed header only where the client signed it.
      unsignableHeaders: new Set(PAYLOAD_HEADER in headers ? [] : [PAYLOAD_HEADER]),
      unhoistableHeaders: new Set([...claim.signedHeaders, PAYLOAD_HEADER]),
    });
    const expected = again.query?.['X-Amz-Signature'];
    compare(claim.signature, typeof expected === 'string' ? expected : '');
    return payload;
  };

  return {
    verify: async (request) => {
      const authorization = request.headers['authorization'];
      const presigned = request.query['X-Amz-Signature'] !== undefined;
      if (authorization !== undefined && presigned) {
        throw new S3Error('InvalidArgument', 'Only one auth mechanism allowed');
      }
      if (authorization !== undefined) return verifyHeader(request, authorization);
      if (presigned) return verifyQuery(request);
      throw new S3Error('AccessDenied', 'Access Denied');
    },
  };
};

const claimOfHeader = (authorization: string, longDate: string): Claim => {
  const [, algorithm, rest = ''] = /^(\S+)\s+(.*)$/.exec(authorization) ?? [];
  const fields = new Map(
    rest.split(',').map((field) => {
      const [name = '', ...value] = field.trim().split('=');
      return [name, value.join('=')];
    }),
  );
  const [credential, signed, signature] = ['Credential', 'SignedHeaders', 'Signature'].map((name) =>
    fields.get(name),
  );
  if (algorithm !== ALGORITHM || !credential || !signed || !signature) {
    throw new S3Error(
      'AuthorizationHeaderMalformed',
      'The authorization header that you provided is not valid.',
    );
  }
  return { credential, signedHeaders: signed.split(';'), signature, longDate };
};

const signatureOfHeader = (authorization: string): string =>
  /Signature=([0-9a-f]+)$/.exec(authorization)?.[1] ?? '';

/**
 * Headers listed as signed. Host and all x-amz- headers must be among them, as in S3, so that a relay cannot add any.
 */
const signedHeadersOf = (request: S3Request, claim: Claim): Record<string, string> => {
  const signed = new Set(claim.signedHeaders);
  const unsigned = Object.keys(request.headers).find(
    (name) => name.startsWith('x-amz-') && !signed.has(name),
  );
  if (unsigned !== undefined || !signed.has('host')) {
    throw new S3Error(
      'AccessDenied',
      `There were headers present in the request which were not signed: ${unsigned ?? 'host'}`,
    );
  }
  const headers: Record<string, string> = {};
  for (const name of claim.signedHeaders) headers[name] = request.headers[name] ?? '';
  return headers;
};

const signable = (request: S3Request, query: S3Request['query'], headers: Record<string, string>) => ({
  method: request.method,
  protocol: 'http:',
  hostname: '',
  path: request.canonicalPath,
  query: { ...query },
  headers,
});

const required = (request: S3Request, name: string): string => {
  const value = parameter(request, name);
  if (value === undefined || value === '') {
    throw new S3Error('AuthorizationQueryParametersError', `Query-string authentication requires ${name}`);
  }
  return value;
};

const dateOf = (longDate: string): Date => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(longDate) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(date.getTime())) throw new S3Error('AccessDenied', 'A valid x-amz-date is required');
  return date;
};

const compare = (given: string, expected: string): void => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  if (a.length !== b.length || !timingSafeEqual(a, b)) {
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    );
  }
};
