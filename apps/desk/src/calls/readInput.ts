import type { Request, Response } from 'express';
import {
  countStructure,
  heldBodies,
  limitsOfCall,
  NoRoom,
  BodyTooLarge,
} from '@evaluation/platform/client-limits';
import { Refusal } from '../middleware/errors.ts';

/**
 * Reads the input of a call and counts its structure. From its first byte until the answer is sent, a body counts with
 * the bytes that have arrived. All bodies together have the memory of four bodies of the largest size; an institute
 * gets at most twice the memory that stays free (packages/platform/src/client-limits).
 * @param limitBytes of one body
 * @returns a reader that throws Refusal 400 (no plain JSON), 413 (bytes or structure) or 503 (memory is taken)
 */
export const inputReader = (
  limitBytes: number,
): ((
  request: Request,
  response: Response,
  call: { instituteId: string; procedure: string },
) => Promise<string>) => {
  const bodies = heldBodies(4 * limitBytes);
  return async (request, response, { instituteId, procedure }) => {
    const held = bodies.begin(instituteId);
    response.once('close', held.release);
    if (response.closed) held.release();
    try {
      if (Number(request.headers['content-length'] ?? 0) > limitBytes)
        throw new Refusal(413, 'PAYLOAD_TOO_LARGE');
      const count = countStructure(limitsOfCall(procedure));
      const chunks: Buffer[] = [];
      let bytes = 0;
      // The refusal is sent over the same connection, so the request must stay open after an error.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        if (!Buffer.isBuffer(chunk)) throw new Error('a body is bytes');
        bytes += chunk.length;
        if (bytes > limitBytes) throw new Refusal(413, 'PAYLOAD_TOO_LARGE');
        count(chunk);
        held.grow(bytes);
        chunks.push(chunk);
      }
      if (bytes > 0 && !isPlainJson(request)) throw new Refusal(400, 'BAD_REQUEST');
      return Buffer.concat(chunks).toString('utf8');
    } catch (error) {
      // Discards the rest of the body as it arrives.
      request.resume();
      if (error instanceof NoRoom) throw new Refusal(503, 'SERVICE_UNAVAILABLE');
      if (error instanceof BodyTooLarge) throw new Refusal(413, 'PAYLOAD_TOO_LARGE');
      // The browser has disconnected, so only the log gets this answer.
      if (request.destroyed) throw new Refusal(400, 'BAD_REQUEST');
      throw error;
    }
  };
};

/** Compressed bodies could grow beyond the limit when they are unpacked. */
const isPlainJson = (request: Request): boolean =>
  request.is('application/json') !== false && request.headers['content-encoding'] === undefined;
