import { randomBytes } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { DeskSettings } from '@evaluation/platform/settings';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Headers of every response. Scripts come from this origin only and never inline. The component library writes style
 * elements, which need the nonce of the page. Pictures and uploads go to the object store directly, so its origins are
 * allowed for them.
 */
export const securityHeaders = ({
  url,
  storeOrigins,
}: Pick<DeskSettings, 'url' | 'storeOrigins'>): RequestHandler => {
  const stores = storeOrigins.map((origin) => ` ${origin}`).join('');
  const policyWith = (nonce: string): string =>
    [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      `img-src 'self' data: blob:${stores}`,
      "font-src 'self' data:",
      `connect-src 'self'${stores}`,
      "worker-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; ');
  const others = helmet({
    contentSecurityPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: url?.protocol === 'https:' ? { maxAge: YEAR_SECONDS } : false,
  });
  return (request, response, next) => {
    const nonce = randomBytes(16).toString('base64');
    response.locals['nonce'] = nonce;
    response.setHeader('Content-Security-Policy', policyWith(nonce));
    others(request, response, next);
  };
};

/** Nonce for style elements of the page in this response. */
export const nonceOf = (response: Response): string => String(response.locals['nonce']);
