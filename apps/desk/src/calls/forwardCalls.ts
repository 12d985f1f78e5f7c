import { createHash } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { CoreOverHttp, IdempotentRequest } from '@evaluation/core-client';
import { tokenBuckets } from '@evaluation/platform/client-limits';
import type { DeskSettings } from '@evaluation/platform/settings';
import { Refusal } from '../middleware/errors.ts';
import { requestIdOf } from '@evaluation/platform/http';
import type { KnownSessions } from '../sessions/knownSessions.ts';
import { answerOfCore } from './answerOfCore.ts';
import { inputReader } from './readInput.ts';

/** Of one person, in all browsers and on this replica. Marking at full speed makes about three calls a second. */
const MOST_CALLS_A_MINUTE = 1200;

const PROCEDURE = /^[A-Za-z]+(?:\.[A-Za-z]+)*$/;
const LONGEST_KEY = 100;
/** Id of the person whose command the page sends. */
const STAFF_HEADER = 'x-evaluation-staff';

/**
 * Passes a call of the page on to the procedure of core's public router with the actor of the signed-in person. Core
 * decides by its table of roles which procedures a person may call (docs/desk/roles.md). Inputs travel in bodies, reads
 * included, so that no address holds data of a candidate.
 */
export const forwardCalls = (
  core: CoreOverHttp,
  sessions: KnownSessions,
  settings: Pick<DeskSettings, 'bodyLimitBytes'>,
): RequestHandler => {
  const calls = tokenBuckets(MOST_CALLS_A_MINUTE);
  const readInput = inputReader(settings.bodyLimitBytes);
  return async (request, response) => {
    const known = await sessions.of(request, response);
    if (known === null) throw new Refusal(401, 'UNAUTHORIZED');
    // Another person has signed in on this browser since, in another tab.
    const sender = request.get(STAFF_HEADER);
    if (sender !== undefined && sender !== known.staff.id) throw new Refusal(401, 'UNAUTHORIZED');
    const wait = calls.wait(known.staff.id);
    if (wait > 0) throw new Refusal(429, 'TOO_MANY_REQUESTS', wait);
    calls.take(known.staff.id);
    const name = String(request.params['procedure']);
    if (!PROCEDURE.test(name)) throw new Refusal(404, 'NOT_FOUND');
    const procedure = `public.${name}`;
    const { actor, staff } = known;
    // After the session, so that only signed-in people can send large bodies.
    const input = await readInput(request, response, { instituteId: staff.institute_id, procedure });
    const idempotent = idempotentRequest(request, actor.key_id, name, input);
    const answer = await core
      .forward(
        { actor, requestId: requestIdOf(response), ...(idempotent === null ? {} : { idempotent }) },
        procedure,
        input,
      )
      .catch(() => {
        // Core gave no response, so whether a command took effect is unknown: the page repeats it with its key.
        throw new Refusal(503, 'SERVICE_UNAVAILABLE');
      });
    const { status, body } = answerOfCore(answer);
    response.status(status).type('json').send(body);
  };
};

/** Keys of the page share a space with keys of the institute's API clients, so they name the person. */
const idempotentRequest = (
  request: Request,
  staffId: string,
  procedure: string,
  input: string,
): IdempotentRequest | null => {
  const key = request.get('idempotency-key');
  if (key === undefined) return null;
  if (!/^[\w.:-]+$/.test(key) || key.length > LONGEST_KEY) throw new Refusal(400, 'BAD_REQUEST');
  return {
    key: `desk:${staffId}:${key}`,
    fingerprint: createHash('sha256').update(`${procedure}\n${input}`).digest('hex'),
  };
};
