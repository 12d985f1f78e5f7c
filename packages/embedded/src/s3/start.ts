/**
 * A small S3 endpoint for development and tests, inside this process: path-style addresses, one pair of credentials.
 * It supports the requests of packages/object-store and of its presigned addresses, and answers NotImplemented to all
 * others. Like a production S3 it checks signatures, expiry, checksums and signed lengths. Writes are on disk before
 * they are answered.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { claimDataFolder, keptSecret, readOrNull } from '../dataFolder.ts';
import { hasCode } from '../processes.ts';
import { incomingBody } from './body.ts';
import { bucketRoute } from './bucketRoutes.ts';
import { allowOrigin, answerPreflight, isPreflight } from './cors.ts';
import { S3Error } from './errors.ts';
import { objectRoute, sendXml, type Exchange } from './objectRoutes.ts';
import { readRequest } from './request.ts';
import { signatureCheck, type SignatureCheck } from './signature.ts';
import { openStorage, replaceFile, type Storage } from './storage.ts';
import { document } from './xml.ts';

interface S3Options {
  /** Folder of this endpoint alone, created if missing. It holds buckets, objects and credentials. */
  dataDir: string;
  /** Port on 127.0.0.1. Default: the last start's port if it is free, so that presigned addresses stay valid. */
  port?: number;
}

export interface EmbeddedS3 {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Lets open requests finish for up to five seconds, then closes their connections. */
  close(): Promise<void>;
}

const REGION = 'us-east-1';
const DRAIN_MS = 5000;
/** A refused body up to this size is read to its end, so that the client receives the error. */
const MAX_DISCARDED_BYTES = 64 * 1024 ** 2;

/**
 * Starts the endpoint on `dataDir` (docs/architecture.md#start).
 * @throws DataFolderInUse when a living process runs one on that folder
 * @throws Error EADDRINUSE when `port` is given and taken
 */
export const startS3 = async (options: S3Options): Promise<EmbeddedS3> => {
  const folder = await claimDataFolder(options.dataDir);
  try {
    const storage = await openStorage(join(folder.path, 'buckets'));
    const credentials = {
      accessKeyId: await keptSecret(join(folder.path, 's3.access-key-id'), 12),
      secretAccessKey: await keptSecret(join(folder.path, 's3.secret-access-key'), 30),
    };
    const check = signatureCheck(credentials, REGION);
    // Limit for a whole request, which a slow client may need for 50 MB.
    const server = createServer({ requestTimeout: 60 * 60 * 1000 });
    const handle = (message: IncomingMessage, response: ServerResponse) =>
      void answer(message, response, storage, check);
    server.on('request', handle);
    // A client that sends `Expect: 100-continue` gets 100 only after its signature was verified.
    server.on('checkContinue', handle);
    const port = await listen(server, join(folder.path, 's3.port'), options.port);
    let closing: Promise<void> | undefined;
    const close = async () => {
      await drain(server);
      await folder.release();
    };
    return {
      endpoint: `http://127.0.0.1:${port}`,
      region: REGION,
      ...credentials,
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await folder.release();
    throw error;
  }
};

const answer = async (
  message: IncomingMessage,
  response: ServerResponse,
  storage: Storage,
  check: SignatureCheck,
) => {
  const requestId = randomUUID();
  response.setHeader('x-amz-request-id', requestId);
  allowOrigin(message, response);
  if (isPreflight(message)) {
    answerPreflight(message, response);
    return;
  }
  try {
    const request = readRequest(message);
    const payload = await check.verify(request);
    const exchange: Exchange = {
      request,
      response,
      storage,
      body: () => {
        const body = incomingBody(request, payload);
        if (request.headers['expect']?.toLowerCase() === '100-continue') response.writeContinue();
        return body;
      },
    };
    if (request.key === '') await bucketRoute(exchange);
    else await objectRoute(exchange);
  } catch (error) {
    refuse(message, response, error, requestId);
  }
};

const refuse = (message: IncomingMessage, response: ServerResponse, error: unknown, requestId: string) => {
  if (response.headersSent || response.destroyed) {
    // After the headers only a closed connection can report the error.
    response.destroy();
    return;
  }
  const failure = error instanceof S3Error ? error : new S3Error('InternalError', String(error));
  if (!message.complete) {
    response.setHeader('connection', 'close');
    discard(message);
  }
  if (message.method === 'HEAD') {
    response.writeHead(failure.status).end();
    return;
  }
  const xml = document('Error', {
    Code: failure.code,
    Message: failure.message,
    Resource: (message.url ?? '').split('?')[0] ?? '',
    RequestId: requestId,
  });
  sendXml(response, xml, failure.status);
};

/** Reads the rest of the body; a client that is still sending would otherwise see a reset instead of the response. */
const discard = (message: IncomingMessage) => {
  let left = MAX_DISCARDED_BYTES;
  message.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) message.destroy();
  });
  message.on('error', () => {});
};

/** Listens on the wanted port, else on the port of the last start if it is free, and stores the port in `file`. */
const listen = async (server: Server, file: string, wanted: number | undefined): Promise<number> => {
  const last = Number((await readOrNull(file)) ?? '0');
  if (wanted !== undefined) await listenOn(server, wanted);
  else {
    try {
      await listenOn(server, Number.isInteger(last) && last > 0 && last < 65_536 ? last : 0);
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE')) throw error;
      await listenOn(server, 0);
    }
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  await replaceFile(file, String(address.port));
  return address.port;
};

const listenOn = async (server: Server, port: number): Promise<void> => {
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', failed);
      listening();
    });
  });
};

const drain = async (server: Server): Promise<void> => {
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(late);
};
