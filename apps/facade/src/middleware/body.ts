import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import {
  BodyTooLarge,
  countStructure,
  heldBodies,
  limitsOfBody,
  NoRoom,
  type HeldBodies,
} from '@evaluation/platform/client-limits';
import { contract } from '@evaluation/rest-contract';
import { clientObjectPlaces } from '@evaluation/rest-contract/client-object-places';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Place } from '@evaluation/rest-contract/exact-json';
import { createTurns, NoTurn, type Turns } from '@evaluation/platform/turns';
import { arrivalOf, CutOff, type Patience } from '../body/arrival.ts';
import { parseBody } from '../body/parseBody.ts';
import { keyOf } from './authenticate.ts';
import { metadataOf, methodOf, routeOf } from './routeMetadata.ts';

/** Largest size of a small body. The number of small bodies in progress is not limited per institute. */
const SMALL_BYTES = 1024 * 1024;
const LARGE_AT_ONCE = 4;
/** Approximate memory of a parsed value in addition to its text. */
const BYTES_OF_VALUE = 32;
/** A client that sends 1 MB a second needs 96 s for the largest body. */
const PATIENCE: Patience = { idleMs: 10_000, totalMs: 120_000 };
/** A large body waits for the previous one of its institute. Core handles the largest in about a second. */
const TURN_MS = 15_000;
/** The rest of a refused body is read for this time, so that the client can read the answer. */
const LINGER_MS = 5000;

interface BodyLimits {
  /** Size limit of routes whose contract sets `body: 'large'`. */
  limitBytes: number;
  /** Memory of all bodies at once; one body takes up to two thirds of it. Bodies beyond it are answered with 503. */
  memoryBytes?: number;
  patience?: Patience;
  turnMs?: number;
}

/**
 * Accepts JSON bodies only (docs/api/conventions.md). An empty body needs no content type, since actions such as `open`
 * have none; any other body that is not `application/json` is answered with 415. The structure of a body is counted
 * while it arrives (packages/platform/src/client-limits/bodyStructure.ts), and then it is parsed as a whole.
 */
export const jsonBody = ({
  limitBytes,
  memoryBytes = (limitBytes * 3) / 2,
  patience = PATIENCE,
  turnMs = TURN_MS,
}: BodyLimits): RequestHandler => {
  const bodies = heldBodies(memoryBytes);
  // Handling a large body blocks the thread for up to a second, here and in core. One at a time per institute leaves
  // time between them for other requests.
  const turns = createTurns({ what: 'large bodies', places: LARGE_AT_ONCE, share: 1, waitMs: turnMs });
  return async (request, response, next) => {
    if (!hasBody(request)) {
      next();
      return;
    }
    if (!isPlainJson(request)) throw new DomainFailure('unsupported_media_type');
    const isLarge = metadataOf(request).body === 'large';
    const limits = { bytes: isLarge ? limitBytes : Math.min(SMALL_BYTES, limitBytes), held: limitBytes };
    try {
      const body = await read(request, response, { bodies, limits, patience });
      if (body.isLarge) await takeTurn(turns, response);
      request.body = body.value;
    } catch (error) {
      abandon(request, response);
      throw error instanceof NoRoom ? new DomainFailure('service_unavailable') : error;
    }
    next();
  };
};

const read = async (
  request: Request,
  response: Response,
  {
    bodies,
    limits,
    patience,
  }: { bodies: HeldBodies; limits: { bytes: number; held: number }; patience: Patience },
): Promise<{ value: unknown; isLarge: boolean }> => {
  // A declared length above the limit is refused without reading the body.
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes) throw new BodyTooLarge('bytes');
  const held = bodies.begin(keyOf(response)?.institute_id ?? '');
  response.once('close', held.release);
  const { procedure, places } = routeOfBody(request);
  const count = countStructure(limitsOfBody(procedure));
  const chunks: Buffer[] = [];
  let bytes = 0;
  await arrivalOf(request, patience, (chunk) => {
    bytes += chunk.length;
    if (bytes > limits.bytes) throw new BodyTooLarge('bytes');
    if (bytes > SMALL_BYTES) held.becomesLarge();
    const heldBytes = bytes + count(chunk) * BYTES_OF_VALUE;
    if (heldBytes > limits.held) throw new BodyTooLarge('bytes');
    held.grow(heldBytes);
    chunks.push(chunk);
  });
  const value = parseBody(Buffer.concat(chunks), places);
  // An empty body counts as `{}`. A body of `null` stays null, which the schema refuses.
  return { value: value === undefined ? {} : value, isLarge: bytes > SMALL_BYTES };
};

/** Waits for the institute's turn and keeps it until the answer is sent or the client disconnects. */
const takeTurn = async (turns: Turns, response: Response): Promise<void> => {
  // A closed response emits no further `close`, so its turn would never be returned.
  if (response.closed) throw new CutOff('the client disconnected before its body was handled');
  const disconnected = new AbortController();
  const leave = (): void => disconnected.abort(new CutOff('the client disconnected while its body waited'));
  response.once('close', leave);
  try {
    const giveBack = await turns.acquire(keyOf(response)?.institute_id ?? '', {
      signal: disconnected.signal,
    });
    if (response.closed) {
      giveBack();
      throw new CutOff('the client disconnected while its body waited');
    }
    response.once('close', giveBack);
  } catch (error) {
    if (error instanceof NoTurn) throw new DomainFailure('service_unavailable');
    throw error;
  } finally {
    response.off('close', leave);
  }
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Refuses compression, which could expand a few bytes to the size limit, and charsets other than UTF-8. */
const isPlainJson = (request: Request): boolean => {
  const [, charset = 'utf-8'] = CHARSET.exec(request.headers['content-type'] ?? '') ?? [];
  const encoding = request.headers['content-encoding'] ?? 'identity';
  return (
    request.is('application/json') !== false &&
    charset.toLowerCase() === 'utf-8' &&
    encoding.toLowerCase() === 'identity'
  );
};

const abandon = (request: Request, response: Response): void => {
  if (request.complete) return;
  response.setHeader('Connection', 'close');
  request.resume();
  response.once('finish', () => setTimeout(() => request.destroy(), LINGER_MS).unref());
};

const isSchema = (value: unknown): value is Parameters<typeof clientObjectPlaces>[0] =>
  typeof value === 'object' && value !== null && '_zod' in value;

interface RouteOfBody {
  /** Of core, which names the limits. */
  procedure: string;
  places: readonly Place[];
}

const routes = new Map<string, RouteOfBody>(
  Object.entries(contract).flatMap(([group, endpoints]) =>
    Object.entries(endpoints).map(([endpoint, route]): [string, RouteOfBody] => [
      `${route.method} ${route.path}`,
      {
        procedure: `public.${group}.${endpoint}`,
        places: 'body' in route && isSchema(route.body) ? clientObjectPlaces(route.body) : [],
      },
    ]),
  ),
);

const routeOfBody = (request: Request): RouteOfBody =>
  routes.get(`${methodOf(request)} ${routeOf(request) ?? ''}`) ?? { procedure: '', places: [] };
