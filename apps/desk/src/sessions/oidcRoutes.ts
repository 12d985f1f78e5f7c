import { Router, type ErrorRequestHandler, type Request, type Response } from 'express';
import type { CoreAccess } from '@evaluation/core-client';
import type { DeskSettings } from '@evaluation/platform/settings';
import type { Logger } from '@evaluation/platform/telemetry';
import { requestIdOf } from '@evaluation/platform/http';
import { joinCookie, placeCookie, sessionCookie, transactionCookie } from './cookie.ts';
import type { KnownSessions } from './knownSessions.ts';
import { ownPath } from './ownPath.ts';
import { userAgentOf } from './userAgentOf.ts';

/**
 * `/oidc`: sign-in with an OpenID Connect provider. Both addresses are opened by the browser itself and cannot have the
 * header of the page. The state, which must match the cookie of the browser that began, protects the callback instead.
 *
 *   GET /oidc/start    keeps core's transaction and the page in `from` in cookies, and leads to the provider
 *   GET /oidc/callback lets core check the provider's answer, starts the session and leads to that page, or to /exams
 *
 * The first sign-in of a person leads to `/join`, where the person sees whose account it is.
 *
 * All failures lead to the sign-in page with the same address, which shows no reason; only a person whose institute the
 * operator has disabled is told so. The cookie is cleared by the callback, so a second callback is refused without a
 * call of core.
 */
export const oidcRoutes = (
  core: CoreAccess,
  sessions: Pick<KnownSessions, 'learn'>,
  settings: Pick<DeskSettings, 'url'>,
  log: Logger,
): Router => {
  const isSecure = settings.url?.protocol === 'https:';
  const session = sessionCookie(isSecure);
  const transaction = transactionCookie(isSecure);
  const place = placeCookie(isSecure);
  const join = joinCookie(isSecure);
  const people = (response: Response) => core.as({ requestId: requestIdOf(response) }).public.desk.people;
  const callbackOf = (request: Request): string =>
    `${settings.url?.origin ?? `${request.protocol}://${request.host}`}/oidc/callback`;
  const routes = Router();

  routes.get('/start', async (request, response) => {
    const started = await people(response).oidcStart.mutate({ redirect_uri: callbackOf(request) });
    if (started === null) {
      response.redirect(303, REFUSED);
      return;
    }
    transaction.set(response, started.transaction);
    const from = ownPath(request.query['from']);
    if (from !== null) place.set(response, Buffer.from(from).toString('base64url'));
    // Clears the page of an earlier sign-in that was not finished.
    else if (place.read(request) !== null) place.clear(response);
    response.redirect(303, started.url);
  });

  routes.get('/callback', async (request, response) => {
    const begun = transaction.read(request);
    transaction.clear(response);
    const wanted = place.read(request);
    if (wanted !== null) place.clear(response);
    if (begun === null) {
      response.redirect(303, REFUSED);
      return;
    }
    const answer = await people(response).oidcFinish.mutate({
      url: `${callbackOf(request)}${queryOf(request)}`,
      transaction: begun,
      user_agent: userAgentOf(request),
      address: request.ip ?? 'unknown',
    });
    if ('token' in answer) {
      sessions.learn(answer.token);
      session.set(response, answer.token);
    }
    if ('join' in answer) {
      join.set(response, answer.join);
      const from = wanted === null ? '' : `?from=${encodeURIComponent(pathIn(wanted))}`;
      response.redirect(303, `/join${from}`);
      return;
    }
    const isDisabled = 'refused' in answer && answer.refused === 'institute_disabled';
    response.redirect(303, 'token' in answer ? pathIn(wanted) : isDisabled ? INSTITUTE_DISABLED : REFUSED);
  });

  const showRefusal: ErrorRequestHandler = (thrown: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    log.warn({ err: thrown, request_id: requestIdOf(response) }, 'sign-in with the provider failed');
    response.redirect(303, REFUSED);
  };
  routes.use(showRefusal);
  return routes;
};

/** Path in the cookie; checked again with `ownPath`, because another program can set the cookie of a browser. */
const pathIn = (wanted: string | null): string =>
  ownPath(Buffer.from(wanted ?? '', 'base64url').toString('utf8')) ?? '/exams';

const REFUSED = '/sign-in?refused=1';
const INSTITUTE_DISABLED = '/sign-in?refused=institute_disabled';

/** The query with its question mark, as the browser sent it. */
const queryOf = ({ originalUrl }: Request): string => {
  const at = originalUrl.indexOf('?');
  return at === -1 ? '' : originalUrl.slice(at);
};
