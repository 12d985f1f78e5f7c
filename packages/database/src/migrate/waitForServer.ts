import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf, isUnavailable } from './unavailable.ts';

const LOOK_EVERY_MS = 1000;
/** A server that does not answer within this is asked again. */
const PATIENCE_MS = 5000;

/**
 * Waits while the server's name does not resolve, it refuses connections, or it starts up: without limit, which whoever
 * runs this sets, as a Job does by its activeDeadlineSeconds. What waiting does not mend is thrown at once.
 *
 * @throws Error of the driver, as for a wrong password or a database that does not exist; the signal's reason
 */
export const waitForServer = async (
  databaseUrl: string,
  options: { signal: AbortSignal; onProgress?: (line: string) => void },
): Promise<void> => {
  const { signal, onProgress = () => {} } = options;
  let said = '';
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
      if (line !== said) onProgress(line);
      said = line;
    } finally {
      await client.end().catch(() => {});
    }
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
};
