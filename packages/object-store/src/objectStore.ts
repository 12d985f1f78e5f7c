/**
 * The S3 operations of the service. Each call has a timeout. The SDK retries transient failures, three attempts in
 * all.
 */
import {
  BucketLocationConstraint,
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

export interface ObjectStoreOptions {
  /** Address for core, workers and the facade, e.g. `http://127.0.0.1:9000`. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Without both keys the identity of the pod or machine is used. */
  accessKeyId?: string;
  secretAccessKey?: string;
  /** Default true: the bucket is the first part of the path; false: of the host name. */
  forcePathStyle?: boolean;
  /** Address for clients, if it differs. Processes of the service always use `endpoint`. */
  publicEndpoint?: string;
  /** Limit of one call with all its attempts; default 30 seconds. */
  timeoutMs?: number;
}

interface CallOptions {
  signal?: AbortSignal;
}

export interface PresignedPut {
  url: string;
  /** The PUT must send exactly these; the store refuses another length or type. */
  headers: Record<string, string>;
}

interface ObjectHead {
  /** As returned by the store, with quotes. */
  etag: string;
  sizeBytes: number;
  contentType: string;
}

/** Methods throw ObjectStoreTimeout after the timeout, the signal's reason when aborted, else S3ServiceException. */
export interface ObjectStore {
  /** Creates the bucket if it is missing; concurrent calls are safe. */
  ensureBucket(options?: CallOptions): Promise<void>;
  /**
   * URL for a PUT of exactly `sizeBytes` of `contentType`, valid for `expiresInSeconds` (at most a week).
   * `byClient`: for a client, at the public endpoint.
   */
  presignPut(
    key: string,
    put: {
      sizeBytes: number;
      contentType: string;
      expiresInSeconds: number;
      byClient?: boolean;
    } & CallOptions,
  ): Promise<PresignedPut>;
  /** URL for a GET. `byClient`: at the public endpoint. */
  presignGet(
    key: string,
    get: { expiresInSeconds: number; byClient?: boolean } & CallOptions,
  ): Promise<string>;
  /** null: no such object. */
  head(key: string, options?: CallOptions): Promise<ObjectHead | null>;
  /** The whole object in memory, or null without one. @throws RangeError when it is larger than `maxBytes` */
  get(key: string, options: { maxBytes: number } & CallOptions): Promise<Buffer | null>;
  /** Copies inside the store. null: the source is missing or its version is not `ifMatch`. */
  copy(
    from: string,
    to: string,
    options: { ifMatch: string } & CallOptions,
  ): Promise<{ etag: string } | null>;
  put(key: string, body: Uint8Array, contentType: string, options?: CallOptions): Promise<{ etag: string }>;
  /** Keys in the store's order, read in pages of a thousand. Concurrent writes and deletions may be missed. */
  list(prefix: string, options?: CallOptions): AsyncIterable<string>;
  /**
   * Deletes any number of objects. Missing objects count as deleted.
   * @throws ObjectsNotDeleted with the remaining keys
   */
  delete(keys: string[], options?: CallOptions): Promise<void>;
  close(): void;
}

/** The store did not answer in time; the call may have taken effect. */
export class ObjectStoreTimeout extends Error {
  override readonly name = 'ObjectStoreTimeout';
}

class ObjectsNotDeleted extends Error {
  override readonly name = 'ObjectsNotDeleted';
  readonly keys: string[];
  constructor(keys: string[], reason: string) {
    super(`${keys.length} objects were not deleted: ${reason}`);
    this.keys = keys;
  }
}

const DELETE_BATCH = 1000;

export const objectStore = (options: ObjectStoreOptions): ObjectStore => {
  const { bucket, region, timeoutMs = 30_000 } = options;
  const client = clientFor(options.endpoint, options);
  const publicClient =
    options.publicEndpoint === undefined ? client : clientFor(options.publicEndpoint, options);

  /**
   * Runs a call under its timeout and the caller's signal. After an abort it throws the caller's reason or
   * ObjectStoreTimeout.
   */
  const bounded = async <T>(
    { signal }: CallOptions,
    call: (abort: { abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T> => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      signal?.throwIfAborted();
      return await call({ abortSignal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) });
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (timeout.aborted) {
        throw new ObjectStoreTimeout(`the object store took longer than ${timeoutMs} ms`, { cause: error });
      }
      throw error;
    }
  };

  const deleteBatch = async (keys: string[], callOptions: CallOptions) => {
    const { Errors: errors = [] } = await bounded(callOptions, (abort) =>
      client.send(
        new DeleteObjectsCommand({
          Bucket: bucket,
          Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
        }),
        abort,
      ),
    );
    if (errors.length > 0) {
      const remaining = errors.flatMap(({ Key }) => Key ?? []);
      throw new ObjectsNotDeleted(remaining, `${errors[0]?.Code}: ${errors[0]?.Message}`);
    }
  };

  return {
    ensureBucket: async (callOptions = {}) => {
      try {
        await bounded(callOptions, (abort) => client.send(new HeadBucketCommand({ Bucket: bucket }), abort));
        return;
      } catch (error) {
        if (!isFailure(error, 'NotFound', 'NoSuchBucket')) throw error;
      }
      // AWS requires the location for all regions but us-east-1; other stores ignore their region names.
      const location = Object.values(BucketLocationConstraint).find((name) => name === region);
      const command = new CreateBucketCommand({
        Bucket: bucket,
        ...(location === undefined ? {} : { CreateBucketConfiguration: { LocationConstraint: location } }),
      });
      try {
        await bounded(callOptions, (abort) => client.send(command, abort));
      } catch (error) {
        if (!isFailure(error, 'BucketAlreadyOwnedByYou', 'BucketAlreadyExists')) throw error;
      }
    },

    presignPut: async (key, { sizeBytes, contentType, expiresInSeconds, byClient, ...callOptions }) => {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        ContentType: contentType,
        ContentLength: sizeBytes,
      });
      // By default the presigner does not sign the content type, and the store would accept any type.
      const signableHeaders = new Set(['content-type', 'content-length']);
      const url = await bounded(callOptions, () =>
        getSignedUrl(byClient === true ? publicClient : client, command, {
          expiresIn: expiresInSeconds,
          signableHeaders,
        }),
      );
      return { url, headers: { 'Content-Type': contentType, 'Content-Length': String(sizeBytes) } };
    },

    presignGet: async (key, { expiresInSeconds, byClient, ...callOptions }) =>
      bounded(callOptions, () =>
        getSignedUrl(
          byClient === true ? publicClient : client,
          new GetObjectCommand({ Bucket: bucket, Key: key }),
          { expiresIn: expiresInSeconds },
        ),
      ),

    head: async (key, callOptions = {}) => {
      try {
        const found = await bounded(callOptions, (abort) =>
          client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), abort),
        );
        return {
          etag: given(found.ETag, 'ETag'),
          sizeBytes: given(found.ContentLength, 'Content-Length'),
          contentType: found.ContentType ?? 'application/octet-stream',
        };
      } catch (error) {
        if (isFailure(error, 'NotFound', 'NoSuchKey')) return null;
        throw error;
      }
    },

    get: async (key, { maxBytes, ...callOptions }) => {
      try {
        return await bounded(callOptions, async (abort) => {
          const found = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }), abort);
          const body = given(found.Body, 'a body');
          if (given(found.ContentLength, 'Content-Length') > maxBytes) {
            await body.transformToWebStream().cancel();
            throw new RangeError(`the object is larger than ${maxBytes} bytes`);
          }
          return Buffer.from(await body.transformToByteArray());
        });
      } catch (error) {
        if (isFailure(error, 'NotFound', 'NoSuchKey')) return null;
        throw error;
      }
    },

    copy: async (from, to, { ifMatch, ...callOptions }) => {
      const source = `${bucket}/${from}`.split('/').map(encodeURIComponent).join('/');
      try {
        const { CopyObjectResult } = await bounded(callOptions, (abort) =>
          client.send(
            new CopyObjectCommand({
              Bucket: bucket,
              Key: to,
              CopySource: source,
              CopySourceIfMatch: ifMatch,
            }),
            abort,
          ),
        );
        return { etag: given(CopyObjectResult?.ETag, 'ETag') };
      } catch (error) {
        if (isFailure(error, 'PreconditionFailed', 'NoSuchKey', 'NotFound')) return null;
        throw error;
      }
    },

    put: async (key, body, contentType, callOptions = {}) => {
      const { ETag } = await bounded(callOptions, (abort) =>
        client.send(
          new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: contentType }),
          abort,
        ),
      );
      return { etag: given(ETag, 'ETag') };
    },

    list: async function* (prefix, callOptions = {}) {
      let token: string | undefined;
      do {
        const page = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token });
        const found = await bounded(callOptions, (abort) => client.send(page, abort));
        for (const { Key: key } of found.Contents ?? []) yield given(key, 'Key');
        // An empty page can have a successor. A truncated page without a token throws instead of looping.
        token = found.IsTruncated === true ? given(found.NextContinuationToken, 'a token') : undefined;
      } while (token !== undefined);
    },

    delete: async (keys, callOptions = {}) => {
      for (let start = 0; start < keys.length; start += DELETE_BATCH) {
        await deleteBatch(keys.slice(start, start + DELETE_BATCH), callOptions);
      }
    },

    close: () => {
      client.destroy();
      if (publicClient !== client) publicClient.destroy();
    },
  };
};

const clientFor = (endpoint: string, options: ObjectStoreOptions): S3Client => {
  const { region, accessKeyId, secretAccessKey, forcePathStyle = true } = options;
  return new S3Client({
    endpoint,
    region,
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey } }),
    forcePathStyle,
    // The default adds a checksum of an empty body to presigned URLs and uses trailers, which some stores reject.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5000 },
    ...notFromTheMachine,
  });
};

/**
 * Options that the SDK would otherwise read from the environment and ~/.aws/config. Only packages/platform/src/settings
 * reads the environment, and accounts without a home folder (as in the images) would fail. The values are the SDK's
 * defaults.
 */
const notFromTheMachine = {
  defaultsMode: 'legacy',
  maxAttempts: 3,
  retryMode: 'standard',
  authSchemePreference: [],
  sigv4aSigningRegionSet: async () => undefined,
  disableS3ExpressSessionAuth: false,
  disableClockSkewCorrection: false,
  useArnRegion: false,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: async () => undefined,
} satisfies S3ClientConfig;

const isFailure = (error: unknown, ...names: string[]): boolean => {
  return error instanceof S3ServiceException && names.includes(error.name);
};

/** The SDK types all fields as optional; an S3 store always sends these. */
const given = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`the object store answered without ${name}`);
  return value;
};
