import { isIP } from 'node:net';
import type { RequestHandler } from 'express';

const UNKNOWN_NAME =
  'The desk does not know this name. Set DESK_URL to its address, or open it as localhost or by an IP address.\n';

/**
 * Without `DESK_URL` the desk does not know its address, and a name that another site has bound to this machine (DNS
 * rebinding) would make that site's page the desk's own. Names other than `localhost` and addresses are refused.
 *
 * @param url address of the desk; a server before it then decides which names lead here
 */
export const ownHost =
  (url: URL | null): RequestHandler =>
  (request, response, next) => {
    if (url !== null || isLocalName(request.get('host') ?? '')) next();
    else response.status(421).type('text/plain').send(UNKNOWN_NAME);
  };

const isLocalName = (host: string): boolean => {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return name === 'localhost' || isIP(name.replaceAll(/^\[|\]$/g, '')) !== 0;
};
