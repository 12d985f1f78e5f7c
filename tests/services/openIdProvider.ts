import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Agent, buildConnector, getGlobalDispatcher, setGlobalDispatcher } from 'undici';

/** An OpenID Connect provider over HTTP with one client, whose people need no password. */
export interface OpenIdProvider {
  /** Settings with which core uses this provider. */
  environment: Record<string, string>;
  /**
   * Opens the address as the browser of a person. Each code works once, and with the PKCE verifier of its request.
   * @param claims added to those of the identity token; they replace `nonce`, `aud`, `exp` and the like
   * @returns the address to which the provider redirects the browser
   */
  visit(url: string, claims: object, options?: Visit): Promise<string>;
  close(): Promise<void>;
}

export interface Visit {
  /** The identity token is signed by another key under the id of the provider's key. */
  isForged?: boolean;
  /** Answer of the user info endpoint; default: the claims. */
  userInfo?: object;
}

interface Grant extends Visit {
  claims: object;
  nonce: string | null;
  challenge: string | null;
  redirectUri: string | null;
}

const CLIENT_ID = 'desk';
const CLIENT_SECRET = 'secret of the desk: 100%';
const KEY_ID = 'key-1';

/** Address of Microsoft Entra. The client library takes issuers with a placeholder from this address only. */
const ENTRA = 'https://login.microsoftonline.com';

/**
 * @param options.hasTenants The provider answers at the address of Microsoft Entra, whose published issuer has a
 * placeholder for the tenant. Requests of this process to that address reach this provider until it is closed.
 */
export const startOpenIdProvider = async (
  { hasTenants }: { hasTenants: boolean } = { hasTenants: false },
): Promise<OpenIdProvider> => {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  const accessTokens = new Map<string, object>();
  let origin = '';
  let issuer = '';
  let visitor: Pick<Grant, 'claims'> & Visit = { claims: {} };

  const authorize = (query: URLSearchParams): string => {
    const redirect = new URL(query.get('redirect_uri') ?? '');
    const code = randomBytes(16).toString('base64url');
    grants.set(code, {
      ...visitor,
      nonce: query.get('nonce'),
      challenge: query.get('code_challenge'),
      redirectUri: query.get('redirect_uri'),
    });
    redirect.search = new URLSearchParams({
      code,
      state: query.get('state') ?? '',
      ...(hasTenants ? {} : { iss: issuer }),
    }).toString();
    return redirect.href;
  };

  const exchange = (authorization: string | undefined, form: URLSearchParams): object | null => {
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isValid =
      authorization === basicAuthorization() &&
      grant?.challenge === challenge &&
      grant.redirectUri === form.get('redirect_uri');
    if (!isValid) return null;
    const accessToken = randomBytes(16).toString('base64url');
    accessTokens.set(`Bearer ${accessToken}`, grant.userInfo ?? grant.claims);
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer.replace('{tenantid}', String(Reflect.get(grant.claims, 'tid'))),
      aud: CLIENT_ID,
      iat: now,
      exp: now + 300,
      nonce: grant.nonce,
      ...grant.claims,
    };
    const signer = grant.isForged === true ? otherKey.privateKey : key.privateKey;
    return { access_token: accessToken, token_type: 'Bearer', id_token: signedToken(claims, signer) };
  };

  /** @returns null for a request that is refused */
  const answer = async (request: IncomingMessage): Promise<object | null> => {
    const { pathname } = new URL(request.url ?? '', origin);
    if (pathname.endsWith('/.well-known/openid-configuration')) {
      return {
        issuer,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        userinfo_endpoint: `${origin}/userinfo`,
        jwks_uri: `${origin}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: !hasTenants,
      };
    }
    if (pathname === '/keys') {
      return {
        keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }],
      };
    }
    const { authorization } = request.headers;
    if (pathname === '/userinfo') return accessTokens.get(authorization ?? '') ?? null;
    if (pathname !== '/token') return null;
    return exchange(authorization, new URLSearchParams(await text(request)));
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', origin);
    if (url.pathname === '/authorize') {
      response.writeHead(302, { location: authorize(url.searchParams) }).end();
      return;
    }
    const body = await answer(request);
    response.writeHead(body === null ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: 'invalid_grant' }));
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the provider has no port');
  origin = hasTenants ? ENTRA : `http://127.0.0.1:${address.port}`;
  issuer = hasTenants ? `${ENTRA}/{tenantid}/v2.0` : origin;
  const leaveEntra = hasTenants ? leadEntraTo(address.port) : () => Promise.resolve();

  return {
    environment: {
      OIDC_ISSUER: issuer.replace('{tenantid}', 'organizations'),
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
    },
    visit: async (url, claims, options = {}) => {
      visitor = { claims, ...options };
      const { status, headers } = await fetch(url, { redirect: 'manual' });
      const location = headers.get('location');
      if (location === null) throw new Error(`the provider answered ${status} without a redirect`);
      return location;
    },
    close: async () => {
      await leaveEntra();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** Leads connections of `fetch` to Entra to a port of this machine, without TLS. @returns undoes it */
const leadEntraTo = (port: number): (() => Promise<void>) => {
  const before = getGlobalDispatcher();
  const connectElsewhere = buildConnector({});
  const agent = new Agent({
    connect: (options, callback) => {
      if (`https://${options.hostname}` !== ENTRA) {
        connectElsewhere(options, callback);
        return;
      }
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => callback(null, socket));
      socket.once('error', (error) => callback(error, null));
    },
  });
  setGlobalDispatcher(agent);
  return async () => {
    setGlobalDispatcher(before);
    await agent.destroy();
  };
};

/** Both parts are encoded as parts of a form (RFC 6749, section 2.3.1). */
const basicAuthorization = (): string => {
  const encoded = (part: string) => new URLSearchParams({ part }).toString().slice('part='.length);
  return `Basic ${Buffer.from(`${encoded(CLIENT_ID)}:${encoded(CLIENT_SECRET)}`).toString('base64')}`;
};

const signedToken = (claims: object, key: KeyObject): string => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${part({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })}.${part(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
};
