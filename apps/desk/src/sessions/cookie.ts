import type { CookieOptions, Request, Response } from 'express';

/** The cookie that holds the token of a session; no script of the page can read it. */
export interface SessionCookie {
  read(request: Request): string | null;
  set(response: Response, token: string): void;
  clear(response: Response): void;
}

/** Longer than any session: core decides when a session ends. */
const LONGEST_MS = 30 * 24 * 60 * 60 * 1000;

/** @param isSecure the desk is reached by HTTPS; the `__Host-` prefix then keeps other hosts from setting the cookie */
export const sessionCookie = (isSecure: boolean): SessionCookie => {
  const name = isSecure ? '__Host-desk' : 'desk';
  const options: CookieOptions = { httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/' };
  return {
    read: (request) => {
      const pairs = (request.get('cookie') ?? '').split(';').map((pair) => pair.trim());
      const found = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
      return found === undefined || found === '' || found.length > 200 ? null : found;
    },
    set: (response, token) => response.cookie(name, token, { ...options, maxAge: LONGEST_MS }),
    clear: (response) => response.clearCookie(name, options),
  };
};
