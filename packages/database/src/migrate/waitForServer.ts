import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf, isUnavailable } from './unavailable.ts';

const LOOK_EVERY_MS = 1000;
/** Timeout of one connection attempt. */
const PATIENCE_MS = 5000;

/**
 * Waits without limit while the server's name does not resolve, or the server refuses connections or starts up. The
 * caller sets the limit, for example a Job's activeDeadlineSeconds.
 *
 * @throws the driver's error when waiting cannot help (wrong password, unknown database); the signal's reason
 */
export const waitForServer = async (
  databaseUrl: string,
  options: { signal: AbortSignal; onProgress?: (line: string) => void },
): Promise<void> => {
  const { signal, onProgress = () => {} } = options;
  let reported = '';
  for (;;) {
    const client = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: PATIENCE_MS,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const line = `the database does not answer yet (${codeOf(error) ?? String(error)})`;
      if (line !== reported) onProgress(line);
      reported = line;
    } finally {
      await client.end().catch(() => {});
    }
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
};
