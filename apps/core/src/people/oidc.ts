import * as client from 'openid-client';
import * as z from 'zod/v4';
import type { Services } from '../command/services.ts';
import { folded } from './email.ts';
import { auditOwnAct } from '../command/audit.ts';
import { startSession, type StartedSession } from './sessions.ts';
import { readSigned, signText } from './signedText.ts';
import { countAttempt, takeBackAttempt } from './throttle.ts';

/*
 * Sign-in with an OpenID Connect provider: authorization code with PKCE, state and nonce.
 *
 *   oidcStart  ──▶ the address of the provider, and `transaction`, which the desk keeps in a cookie of this browser
 *   provider   ──▶ redirects the browser to the desk with `code` and `state`
 *   oidcFinish ──▶ checks both against `transaction`, and finds the account
 *   oidcJoin   ──▶ at the first sign-in: the person has chosen the institute, and the account is linked
 *
 * All refusals of oidcFinish are one answer; the log has the reason. The provider accepts each code once. The account
 * must exist before the first sign-in, which finds it by the e-mail address that the provider has verified. Any
 * institute can make an account of any address, so the person first sees whose account it is and says yes; then it is
 * linked to the provider's subject. Later sign-ins find the link. State, in memory: the configuration that the provider
 * publishes, read once.
 *
 * Some providers have one issuer for many tenants, such as Microsoft Entra's `organizations`. Anyone can have a tenant
 * there, so only the tenants in `OIDC_TENANTS` may sign in.
 */

const Transaction = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });

const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().max(254).optional(),
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).optional(),
  /** `email_verified` of Microsoft Entra (edov: e-mail domain owner verified). */
  xms_edov: z.union([z.boolean(), z.enum(['true', 'false', '1', '0']), z.literal([0, 1])]).optional(),
});
type Claims = z.output<typeof Claims>;

type OidcSettings = NonNullable<Services['settings']['oidc']>;

const discovered = new Map<string, Promise<client.Configuration>>();

const configurationOf = (oidc: OidcSettings): Promise<client.Configuration> => {
  const key = `${oidc.issuer} ${oidc.clientId}`;
  let found = discovered.get(key);
  if (found === undefined) {
    // A provider on this machine may speak plain HTTP; all others need HTTPS.
    const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(oidc.issuer).hostname);
    const authentication = authenticationWith(oidc.clientSecret);
    found = client.discovery(new URL(oidc.issuer), oidc.clientId, undefined, authentication, {
      timeout: 10,
      // `enableNonRepudiationChecks` checks the signature of identity tokens; without it the library relies on TLS.
      execute: [...(isLocal ? [client.allowInsecureRequests] : []), client.enableNonRepudiationChecks],
    });
    discovered.set(key, found);
    found.catch(() => discovered.delete(key));
  }
  return found;
};

/** Sends the client's secret as the provider accepts it. A provider that lists no methods accepts HTTP Basic. */
const authenticationWith = (secret: string): client.ClientAuth => {
  const basic = client.ClientSecretBasic(secret);
  const post = client.ClientSecretPost(secret);
  return (provider, ...request) => {
    const ways = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (ways.includes('client_secret_basic') ? basic : post)(provider, ...request);
  };
};

/** @returns null if the installation has no provider, or the provider does not answer */
export const oidcStart = async (
  { settings, log }: Pick<Services, 'settings' | 'log'>,
  redirectUri: string,
): Promise<{ url: string; transaction: string } | null> => {
  const { oidc } = settings;
  if (oidc === null) return null;
  let configuration: client.Configuration;
  try {
    configuration = await configurationOf(oidc);
  } catch (error) {
    log.warn({ error_code: codeOf(error) }, 'configuration of the OpenID Connect provider could not be read');
    return null;
  }
  if (isShared(configuration.serverMetadata().issuer) && oidc.tenants.length === 0) {
    log.warn(
      { error_code: 'tenants_not_set' },
      'sign-in with the OpenID Connect provider is off: its issuer is shared by many tenants; set OIDC_TENANTS, or set OIDC_ISSUER to the issuer of one tenant',
    );
    return null;
  }
  const transaction = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  };
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    state: transaction.state,
    nonce: transaction.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(transaction.verifier),
    code_challenge_method: 'S256',
  });
  return {
    url: url.href,
    transaction: Buffer.from(JSON.stringify(transaction)).toString('base64url'),
  };
};

/** `join`: signed text for `oidcAccounts` and `oidcJoin`, which the desk keeps in a cookie of this browser. */
type OidcAnswer = StartedSession | { join: string } | typeof REFUSED;

const REFUSED = { refused: 'sign_in_failed' } as const;
const FAILED = 'sign-in with the OpenID Connect provider failed';

/**
 * Each call asks the provider, so calls of one network are limited like its sign-ins by password.
 * @param input.url address to which the provider sent the browser, with its query
 * @param input.address network address of the browser
 */
export const oidcFinish = async (
  services: Services,
  input: { url: string; transaction: string; user_agent: string; address: string },
): Promise<OidcAnswer> => {
  const { oidc } = services.settings;
  const transaction = readTransaction(input.transaction);
  if (oidc === null || transaction === null || !URL.canParse(input.url)) return REFUSED;
  const attempt = { email: null, address: input.address };
  if ((await countAttempt(services, attempt)) !== null) {
    services.log.warn({ error_code: 'too_many_attempts' }, FAILED);
    return REFUSED;
  }
  let identity: { issuer: string; claims: Claims };
  try {
    const configuration = await configurationOf(oidc);
    const tokens = await client.authorizationCodeGrant(configuration, new URL(input.url), {
      pkceCodeVerifier: transaction.verifier,
      expectedState: transaction.state,
      expectedNonce: transaction.nonce,
      idTokenExpected: true,
    });
    const { issuer: published, userinfo_endpoint: userInfo } = configuration.serverMetadata();
    const issuer = issuerOf(published, tokens.claims(), oidc.tenants);
    let claims = Claims.parse(tokens.claims());
    // Some providers send the e-mail address only here.
    if (claims.email === undefined && userInfo !== undefined) {
      claims = Claims.parse(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub));
    }
    identity = { issuer, claims };
  } catch (error) {
    services.log.warn({ error_code: codeOf(error) }, FAILED);
    return REFUSED;
  }
  const { issuer, claims } = identity;
  const linked = await linkedAccount(services, issuer, claims.sub);
  const email = claims.email === undefined || !isVerified(issuer, claims) ? null : folded(claims.email);
  const isKnown = linked === null && email !== null && (await accountsOf(services, email)).length > 0;
  if (linked?.disabled_at != null || (linked === null && !isKnown)) {
    services.log.warn({ error_code: 'no_account' }, FAILED);
    return REFUSED;
  }
  await takeBackAttempt(services, attempt);
  if (linked !== null) return startSession(services, linked.id, input.user_agent);
  return { join: signText(services, 'join', { issuer, sub: claims.sub, email: email ?? '' }) };
};

/** Placeholder for the tenant in the issuer that a provider of many tenants publishes. */
const TENANT = '{tenantid}';
const isShared = (published: string): boolean => published.includes(TENANT);

class TenantNotAllowed extends Error {
  readonly code = 'tenant_not_allowed';
}

/**
 * The issuer of an identity token. The library has replaced the placeholder in the published issuer by the token's
 * `tid` and compared the result with the token's issuer.
 * @throws TenantNotAllowed if `tenants` does not have the tenant; without `tenants` only a shared issuer is checked
 */
const issuerOf = (
  published: string,
  token: client.IDToken | undefined,
  tenants: readonly string[],
): string => {
  if (!isShared(published) && tenants.length === 0) return published;
  const tenant = token?.['tid'];
  if (typeof tenant !== 'string' || !tenants.includes(tenant)) throw new TenantNotAllowed();
  const issuer = published.replace(TENANT, tenant);
  if (token?.iss !== issuer) throw new TenantNotAllowed();
  return issuer;
};

const ENTRA = 'login.microsoftonline.com';

/** `xms_edov` counts from Microsoft Entra alone: at another provider people may set it themselves. */
const isVerified = (issuer: string, { email_verified, xms_edov }: Claims): boolean =>
  ['true', '1'].includes(
    String(email_verified ?? (new URL(issuer).hostname === ENTRA ? xms_edov : undefined)),
  );

const codeOf = (error: unknown): unknown =>
  error instanceof Error ? (Reflect.get(error, 'code') ?? error.name) : undefined;

const readTransaction = (text: string): z.output<typeof Transaction> | null => {
  try {
    const parsed = Transaction.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
};

const linkedAccount = async ({ database }: Pick<Services, 'database'>, issuer: string, subject: string) => {
  const identity = await database.control.staff_identities.findUnique({
    where: { issuer_subject: { issuer, subject } },
    include: { staff: true },
  });
  return identity?.staff ?? null;
};

/** Enabled accounts of a verified address, in any institute. */
const accountsOf = ({ database }: Pick<Services, 'database'>, email: string) =>
  database.control.staff.findMany({
    where: { email, disabled_at: null },
    include: { institute: { select: { name: true } } },
    orderBy: { id: 'asc' },
    take: MOST_SHOWN,
  });

/** Institutes that a person is shown. */
const MOST_SHOWN = 20;

const readJoin = (services: Pick<Services, 'settings'>, text: string) => {
  const { issuer, sub, email } = readSigned(services, 'join', text) ?? {};
  return issuer === undefined || sub === undefined || email === undefined ? null : { issuer, sub, email };
};

/** What a person sees before the first sign-in with the provider. @returns null if it was begun too long ago */
export const oidcAccounts = async (
  services: Services,
  text: string,
): Promise<{ email: string; accounts: { staff_id: string; institute_name: string }[] } | null> => {
  const join = readJoin(services, text);
  if (join === null) return null;
  const accounts = await accountsOf(services, join.email);
  return {
    email: join.email,
    accounts: accounts.map(({ id, institute }) => ({ staff_id: id, institute_name: institute.name })),
  };
};

/** Links the chosen account, and starts its session. A subject that was linked meanwhile signs in to that account. */
export const oidcJoin = async (
  services: Services,
  input: { join: string; staff_id: string; user_agent: string },
): Promise<StartedSession | typeof REFUSED> => {
  const join = readJoin(services, input.join);
  const accounts = join === null ? [] : await accountsOf(services, join.email);
  const chosen = accounts.find(({ id }) => id === input.staff_id);
  if (join === null || chosen === undefined) return REFUSED;
  const { issuer, sub: subject } = join;
  await services.database.control.$transaction(async (tx) => {
    const inserted = await tx.staff_identities.createMany({
      data: [{ issuer, subject, staff_id: chosen.id }],
      skipDuplicates: true,
    });
    if (inserted.count > 0) await auditOwnAct(tx, chosen, 'staff_join', { issuer });
  });
  const linked = await linkedAccount(services, issuer, subject);
  if (linked === null || linked.disabled_at !== null) return REFUSED;
  return startSession(services, linked.id, input.user_agent);
};
