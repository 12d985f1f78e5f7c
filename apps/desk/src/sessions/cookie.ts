import type { CookieOptions, Request, Response } from 'express';

/** A cookie that no script of the page can read. */
interface DeskCookie {
  read(request: Request): string | null;
  set(response: Response, value: string): void;
  clear(response: Response): void;
}

const cookie = (
  name: string,
  longest: number,
  maxAge: number,
  place: { secure: boolean; path: string },
): DeskCookie => {
  const options: CookieOptions = { httpOnly: true, sameSite: 'lax', ...place };
  return {
    read: (request) => {
      const pairs = (request.get('cookie') ?? '').split(';').map((pair) => pair.trim());
      const found = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
      return found === undefined || found === '' || found.length > longest ? null : found;
    },
    set: (response, value) => response.cookie(name, value, { ...options, maxAge }),
    clear: (response) => response.clearCookie(name, options),
  };
};

/** Longer than any session: core decides when a session ends. */
const LONGEST_SESSION_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * The cookie that holds the token of a session.
 *
 * @param isSecure the desk is reached by HTTPS; the `__Host-` prefix then keeps other hosts from setting the cookie
 */
export const sessionCookie = (isSecure: boolean): DeskCookie =>
  cookie(isSecure ? '__Host-desk' : 'desk', 200, LONGEST_SESSION_MS, { secure: isSecure, path: '/' });

const DEVICE_MS = 180 * 24 * 60 * 60 * 1000;

/** The cookie of a browser in which a person has signed in; it opens nothing (core's `people/device.ts`). */
export const deviceCookie = (isSecure: boolean): DeskCookie =>
  cookie(isSecure ? '__Secure-desk-device' : 'desk-device', 200, DEVICE_MS, {
    secure: isSecure,
    path: '/session',
  });

/** Time for signing in at the provider. */
const TRANSACTION_MS = 10 * 60 * 1000;

/** The cookie that binds a sign-in with a provider to the browser that began it. */
export const transactionCookie = (isSecure: boolean): DeskCookie =>
  cookie(isSecure ? '__Secure-desk-oidc' : 'desk-oidc', 2000, TRANSACTION_MS, {
    secure: isSecure,
    path: '/oidc',
  });

/** The cookie that proves to core, until the person has chosen an institute, what the provider has confirmed. */
export const joinCookie = (isSecure: boolean): DeskCookie =>
  cookie(isSecure ? '__Secure-desk-join' : 'desk-join', 2000, TRANSACTION_MS, {
    secure: isSecure,
    path: '/session/join',
  });

/** The cookie that holds, as base64url, the page to show after a sign-in with a provider. */
export const placeCookie = (isSecure: boolean): DeskCookie =>
  cookie(isSecure ? '__Secure-desk-from' : 'desk-from', 2000, TRANSACTION_MS, {
    secure: isSecure,
    path: '/oidc',
  });
