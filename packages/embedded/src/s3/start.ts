/**
 * Our own small S3 endpoint, for development and tests: path-style addresses, one pair of credentials, one process. It does
 * what packages/object-store sends and what its presigned addresses allow, and answers NotImplemented to everything else.
 * It checks what production's S3 would check (signatures, expiry, checksums, signed lengths), so that a mistake shows
 * here first. The server lives in this process; what it keeps is on the disk before it answers.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { claimDataFolder, keptSecret, readOrNull } from '../dataFolder.ts';
import { incomingBody } from './body.ts';
import { bucketRoute } from './bucketRoutes.ts';
import { S3Error } from './errors.ts';
import { objectRoute, sendXml, type Exchange } from './objectRoutes.ts';
import { readRequest } from './request.ts';
import { signatureCheck, type SignatureCheck } from './signature.ts';
import { openStorage, replaceFile, type Storage } from './storage.ts';
import { document } from './xml.ts';

export interface S3Options {
  /** Folder of this endpoint alone; created where missing. Buckets, objects and credentials live here. */
  dataDir: string;
  /** Port on 127.0.0.1; default: the one of the last start where it is free, so that presigned addresses stay good. */
  port?: number;
}

export interface EmbeddedS3 {
  /** `http://127.0.0.1:port`, path style. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Lets requests under way finish for up to five seconds, then ends them. */
  close(): Promise<void>;
}

const REGION = 'us-east-1';
const DRAIN_MS = 5000;
/** A refused body up to this size is read to its end, so that the client gets to read why. */
const MAX_DISCARDED_BYTES = 64 * 1024 ** 2;

/**
 * Starts the endpoint on `dataDir` (docs/architecture.md#start).
 * @throws DataFolderInUse when a living process already runs one on that folder
 * @throws Error EADDRINUSE when `port` is given and taken
 */
export async function startS3(options: S3Options): Promise<EmbeddedS3> {
  const folder = await claimDataFolder(options.dataDir);
  try {
    const storage = await openStorage(join(folder.path, 'buckets'));
    const credentials = {
      accessKeyId: await keptSecret(join(folder.path, 's3.access-key-id'), 12),
      secretAccessKey: await keptSecret(join(folder.path, 's3.secret-access-key'), 30),
    };
    const check = signatureCheck(credentials, REGION);
    // A slow client may take long over 50 MB; the whole request is bounded, not each byte.
    const server = createServer({ requestTimeout: 60 * 60 * 1000 });
    const handle = (message: IncomingMessage, response: ServerResponse) =>
      void answer(message, response, storage, check);
    server.on('request', handle);
    // A client that asks first is told to send only once its signature held.
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
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  storage: Storage,
  check: SignatureCheck,
) {
  const requestId = randomUUID();
  response.setHeader('x-amz-request-id', requestId);
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
}

function refuse(message: IncomingMessage, response: ServerResponse, error: unknown, requestId: string) {
  if (response.headersSent || response.destroyed) {
    // The answer broke off under way: only a broken connection tells the client so.
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
}

/** A client that is still sending would otherwise see a reset instead of the answer. */
function discard(message: IncomingMessage) {
  let left = MAX_DISCARDED_BYTES;
  message.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) message.destroy();
  });
  message.on('error', () => {});
}

/** @returns the port; the file remembers it for the next start. */
async function listen(server: Server, file: string, wanted: number | undefined): Promise<number> {
  const last = Number((await readOrNull(file)) ?? '0');
  if (wanted !== undefined) await listenOn(server, wanted);
  else {
    try {
      await listenOn(server, Number.isInteger(last) && last > 0 && last < 65_536 ? last : 0);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
      await listenOn(server, 0);
    }
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system named no port');
  await replaceFile(file, String(address.port));
  return address.port;
}

async function listenOn(server: Server, port: number): Promise<void> {
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', failed);
      listening();
    });
  });
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(late);
}
