import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { jittered } from '@evaluation/platform/backoff';
import type { CoreSettings } from '@evaluation/platform/settings';
import type { Logger } from '@evaluation/platform/telemetry';
import { startRounds, type Rounds } from '../command/rounds.ts';

/** How often the certificate is read again. Certificates are renewed days before they expire. */
const CERTIFICATE_MS = 60 * 60_000;

/** Longer than the age at which clients replace a connection, so that no call is sent while this side closes it. */
const KEEP_ALIVE_MS = 75_000;

const NO_ROUNDS: Rounds = { close: async () => {} };

/**
 * Creates core's server without listening: HTTPS if `tls` is set, HTTP otherwise. A renewed certificate is read from
 * the same files every CERTIFICATE_MS and used for new connections. If the files cannot be read or do not match (for
 * example during their replacement), the error is logged and the previous certificate stays.
 * @throws Error if the files cannot be read or do not match at the start
 */
export const newServer = async (
  tls: CoreSettings['tls'],
  log: Logger,
  listener: RequestListener,
): Promise<{ server: Server; renewal: Rounds }> => {
  const keepingAlive = { keepAliveTimeout: KEEP_ALIVE_MS };
  if (tls === null) return { server: createServer(keepingAlive, listener), renewal: NO_ROUNDS };
  const pair = async (): Promise<SecureContextOptions> => {
    const [cert, key] = await Promise.all([readFile(tls.certFile), readFile(tls.keyFile)]);
    return { cert, key, minVersion: 'TLSv1.2' };
  };
  const server = createTlsServer({ ...(await pair()), ...keepingAlive }, listener);
  const renewal = startRounds(log, {
    what: 'reading the certificate again',
    pauseMs: () => jittered(CERTIFICATE_MS),
    round: async () => server.setSecureContext(await pair()),
  });
  return { server, renewal };
};
