/**
 * The S3 client of the service, narrowed to what it does. Every call is bounded in time and can be aborted; retries of
 * single requests are the SDK's own (three attempts, transient failures only).
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
  /** Where core, workers and the facade reach the store, e.g. `http://127.0.0.1:9000`; path-style addresses. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Where whoever is outside reaches it, when that is another name. Our own processes all use `endpoint`. */
  publicEndpoint?: string;
  /** Bound of one call, all its attempts together. Default 30 seconds. */
  timeoutMs?: number;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface PresignedPut {
  url: string;
  /** The PUT must carry exactly these; another length or type is refused by the store. */
  headers: Record<string, string>;
}

export interface ObjectHead {
  /** Opaque, as the store gave it, quotes included. */
  etag: string;
  sizeBytes: number;
  contentType: string;
}

/** Every method throws ObjectStoreTimeout when time ran out, the signal's reason when aborted, S3ServiceException else. */
export interface ObjectStore {
  /** Creates the bucket where it is missing; safe to race. */
  ensureBucket(options?: CallOptions): Promise<void>;
  /**
   * An address to PUT exactly `sizeBytes` of `contentType` to, for `expiresInSeconds` (at most a week).
   * `byClient`: for somebody outside, and so at the public endpoint.
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
  /** An address to GET the object from. `byClient`: as for `presignPut`; else for our own processes. */
  presignGet(
    key: string,
    get: { expiresInSeconds: number; byClient?: boolean } & CallOptions,
  ): Promise<string>;
  /** null: no such object. */
  head(key: string, options?: CallOptions): Promise<ObjectHead | null>;
  /** A whole object in memory. null: no such object. @throws RangeError when it is larger than `maxBytes` */
  get(key: string, options: { maxBytes: number } & CallOptions): Promise<Buffer | null>;
  /** Copies inside the store. null: the source is gone, or no longer the version `ifMatch` names. */
  copy(
    from: string,
    to: string,
    options: { ifMatch: string } & CallOptions,
  ): Promise<{ etag: string } | null>;
  put(key: string, body: Uint8Array, contentType: string, options?: CallOptions): Promise<{ etag: string }>;
  /**
   * The keys that begin with `prefix`, in the store's order, a page of a thousand at a time. What is written or deleted
   * meanwhile may or may not be among them.
   */
  list(prefix: string, options?: CallOptions): AsyncIterable<string>;
  /**
   * Deletes any number of objects; one that is missing counts as deleted.
   * @throws ObjectsNotDeleted naming those that remain
   */
  delete(keys: string[], options?: CallOptions): Promise<void>;
  /** Ends idle connections. */
  close(): void;
}

/** The store did not answer in time; whether the call took effect is unknown. */
export class ObjectStoreTimeout extends Error {
  override readonly name = 'ObjectStoreTimeout';
}

export class ObjectsNotDeleted extends Error {
  override readonly name = 'ObjectsNotDeleted';
  readonly keys: string[];
  constructor(keys: string[], reason: string) {
    super(`${keys.length} objects were not deleted: ${reason}`);
    this.keys = keys;
  }
}

/** S3's bound for one DeleteObjects. */
const DELETE_BATCH = 1000;

export function objectStore(options: ObjectStoreOptions): ObjectStore {
  const { bucket, region, timeoutMs = 30_000 } = options;
  const client = clientFor(options.endpoint, options);
  const publicClient =
    options.publicEndpoint === undefined ? client : clientFor(options.publicEndpoint, options);

  /** Runs a call under its timeout and the caller's signal, and tells the two apart when it breaks off. */
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
      // AWS wants its regions named but for the first one; another store's region name means nothing to it.
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
      // Unless named here, the presigner leaves the type unsigned, and any type would pass.
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
            throw new RangeError(`an object is larger than ${maxBytes} bytes`);
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
        // A page may be empty and not the last; a store that says so and names no next one would be asked for ever.
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
}

function clientFor(endpoint: string, { region, accessKeyId, secretAccessKey }: ObjectStoreOptions): S3Client {
  return new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    // The default puts the checksum of an empty body into presigned addresses, and not every store knows trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5000 },
    ...notFromTheMachine,
  });
}

/**
 * What the client would else look for in the environment and in ~/.aws/config: our settings have one reader, and an
 * account without a home (an image's) could not open a store at all. The values are the client's own defaults.
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

function isFailure(error: unknown, ...names: string[]): boolean {
  return error instanceof S3ServiceException && names.includes(error.name);
}

/** The SDK types every field as optional; a store that leaves one of these out is no S3. */
function given<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`the object store answered without ${name}`);
  return value;
}
