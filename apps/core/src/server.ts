import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { jittered } from '@evaluation/backoff';
import type { CoreSettings } from '@evaluation/settings';
import type { Logger } from '@evaluation/telemetry';
import { startRounds, type Rounds } from './rounds.ts';

/** A certificate is renewed days before it ends. */
const CERTIFICATE_MS = 60 * 60_000;

const NO_ROUNDS: Rounds = { close: async () => {} };

/**
 * Core's server, which does not listen yet: HTTPS where there is a certificate. A renewed one is taken from the same
 * files within hours, for new connections. Files that cannot be read, or are no pair because they are being replaced, are
 * logged, and what was read before stays.
 * @throws Error when they cannot be read, or are no pair, at the start
 */
export const newServer = async (
  tls: CoreSettings['tls'],
  log: Logger,
  listener: RequestListener,
  certificateMs = CERTIFICATE_MS,
): Promise<{ server: Server; renewal: Rounds }> => {
  if (tls === null) return { server: createServer(listener), renewal: NO_ROUNDS };
  const pair = async (): Promise<SecureContextOptions> => {
    const [cert, key] = await Promise.all([readFile(tls.certFile), readFile(tls.keyFile)]);
    return { cert, key, minVersion: 'TLSv1.2' };
  };
  const server = createTlsServer(await pair(), listener);
  const renewal = startRounds(log, {
    what: 'reading the certificate again',
    pauseMs: () => jittered(certificateMs),
    round: async () => server.setSecureContext(await pair()),
  });
  return { server, renewal };
};
