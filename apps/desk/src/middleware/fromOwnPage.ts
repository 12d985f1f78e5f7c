import type { Request, RequestHandler } from 'express';
import { Refusal } from './errors.ts';

/** A header that a form or a link cannot send, and that a script of another origin may not. */
const OWN_HEADER = 'x-evaluation-desk';

/**
 * Refuses requests that the desk's own page did not send (CSRF): every call needs the header of the page, and if the
 * browser names an origin, it must be that of the desk. The session cookie is `SameSite=Lax` besides.
 *
 * @param url address of the desk; null: the host that the request names
 */
export const fromOwnPage =
  (url: URL | null): RequestHandler =>
  (request, _response, next) => {
    if (request.get(OWN_HEADER) !== '1' || !isOwnOrigin(request, url)) throw new Refusal(403, 'FORBIDDEN');
    next();
  };

const isOwnOrigin = (request: Request, url: URL | null): boolean => {
  const origin = request.get('origin');
  if (origin === undefined) return true;
  if (url !== null) return origin === url.origin;
  return URL.canParse(origin) && new URL(origin).host === request.get('host');
};
