import express, { Router, type Request, type Response } from 'express';
import type { CoreAccess } from '@evaluation/core-client';
import type { LookUpLimits } from '@evaluation/platform/client-limits';
import type { DeskSettings } from '@evaluation/platform/settings';
import * as z from 'zod/v4';
import { Refusal } from '../middleware/errors.ts';
import { requestIdOf } from '@evaluation/platform/http';
import { deviceCookie, joinCookie, sessionCookie } from './cookie.ts';
import type { KnownSessions } from './knownSessions.ts';
import { userAgentOf } from './userAgentOf.ts';

const Credentials = z.object({ email: z.string().max(1000), password: z.string().max(1000) });
const Acceptance = z.object({
  token: z.string().max(100),
  name: z.string().max(1000).optional(),
  password: z.string().max(1000),
});
const Choice = z.object({ staff_id: z.uuid() });
/** Core checks and bounds the fields of the response. */
const PasskeyAnswer = z.object({
  challenge: z.string().max(2000),
  response: z.object({
    id: z.string(),
    rawId: z.string(),
    type: z.literal('public-key'),
    response: z.object({
      clientDataJSON: z.string(),
      authenticatorData: z.string(),
      signature: z.string(),
    }),
  }),
});
const Proof = z.object({ password: z.string().max(1000) });
const Link = z.object({ token: z.string().max(100) });

/** `/session` and `/session/link`. The token of the session goes into a cookie and never into a body. */
export const sessionRoutes = (
  core: CoreAccess,
  sessions: KnownSessions,
  settings: Pick<DeskSettings, 'url'>,
  limits: LookUpLimits,
): Router => {
  const isSecure = settings.url?.protocol === 'https:';
  const cookie = sessionCookie(isSecure);
  const device = deviceCookie(isSecure);
  const join = joinCookie(isSecure);
  const people = (response: Response) => core.as({ requestId: requestIdOf(response) }).public.desk.people;
  const begin = (response: Response, token: string): void => {
    sessions.learn(token);
    cookie.set(response, token);
  };
  /** @returns what to call when the look-up has found something @throws Refusal 429 */
  const takeLookUp = ({ ip: address = 'unknown' }: Request): (() => void) => {
    const wait = limits.take(address);
    if (wait !== null) throw new Refusal(429, 'TOO_MANY_REQUESTS', wait);
    return () => limits.giveBack(address);
  };
  const routes = Router();
  routes.use(express.json({ limit: '16kb' }));

  routes.get('/', async (request, response) => {
    const known = await sessions.of(request, response);
    if (known === null && cookie.read(request) !== null) cookie.clear(response);
    response.json({ staff: known?.staff ?? null });
  });

  routes.post('/', async (request, response) => {
    const { email, password } = accept(Credentials, request);
    const answer = await people(response).signIn.mutate({
      email,
      password,
      ...browserOf(request),
      device: device.read(request) ?? undefined,
    });
    if ('token' in answer) {
      begin(response, answer.token);
      if (answer.device !== undefined) device.set(response, answer.device);
    }
    response.json('token' in answer ? { staff: answer.staff } : answer);
  });

  routes.delete('/', async (request, response) => {
    const token = cookie.read(request);
    cookie.clear(response);
    if (token !== null) {
      sessions.forget(token);
      await people(response).signOut.mutate({ token });
    }
    response.json({ staff: null });
  });

  routes.post('/proof', async (request, response) => {
    const { password } = accept(Proof, request);
    const token = cookie.read(request);
    if (token === null) throw new Refusal(401, 'UNAUTHORIZED');
    const answer = await people(response).prove.mutate({ token, password });
    // The next call asks core again, and is signed with the new time.
    sessions.forget(token);
    response.json(answer);
  });

  routes.get('/ways', async (_request, response) => {
    response.json(await people(response).signInWays.query());
  });

  const originOf = (request: Request): string =>
    settings.url?.origin ?? `${request.protocol}://${request.host}`;

  routes.post('/passkey/options', async (request, response) => {
    response.json(await people(response).passkeySignInOptions.mutate({ origin: originOf(request) }));
  });

  routes.post('/passkey', async (request, response) => {
    const { challenge, response: assertion } = accept(PasskeyAnswer, request);
    const answer = await people(response).passkeySignIn.mutate({
      origin: originOf(request),
      challenge,
      response: { ...assertion, clientExtensionResults: {} },
      ...browserOf(request),
    });
    if ('token' in answer) begin(response, answer.token);
    response.json('token' in answer ? { staff: answer.staff } : answer);
  });

  routes.get('/join', async (request, response) => {
    const text = join.read(request);
    response.json({ join: text === null ? null : await people(response).oidcAccounts.query({ join: text }) });
  });

  routes.post('/join', async (request, response) => {
    const { staff_id: staffId } = accept(Choice, request);
    const text = join.read(request);
    if (text === null) throw new Refusal(401, 'UNAUTHORIZED');
    const answer = await people(response).oidcJoin.mutate({
      join: text,
      staff_id: staffId,
      user_agent: userAgentOf(request),
    });
    if ('token' in answer) {
      join.clear(response);
      begin(response, answer.token);
    }
    response.json('token' in answer ? { staff: answer.staff } : answer);
  });

  routes.post('/link/shown', async (request, response) => {
    const giveBack = takeLookUp(request);
    const link = await people(response).invitation.query(accept(Link, request));
    if (link !== null) giveBack();
    response.json({ link });
  });

  routes.post('/link/followed', async (request, response) => {
    const { name, ...given } = accept(Acceptance, request);
    const giveBack = takeLookUp(request);
    const answer = await people(response).acceptInvitation.mutate({
      ...given,
      ...(name === undefined ? {} : { name }),
      ...browserOf(request),
    });
    giveBack();
    if ('token' in answer) begin(response, answer.token);
    response.json('token' in answer ? { staff: answer.staff } : answer);
  });
  return routes;
};

const accept = <S extends z.ZodType>(schema: S, request: Request): z.output<S> => {
  const parsed = schema.safeParse(request.body);
  if (!parsed.success) throw new Refusal(400, 'BAD_REQUEST');
  return parsed.data;
};

const browserOf = (request: Request) => ({
  address: request.ip ?? 'unknown',
  user_agent: userAgentOf(request),
});
