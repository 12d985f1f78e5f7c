import type { CoreClient } from '@evaluation/core-client';
import type { ClientSettings } from '@evaluation/platform/settings';
import { CommandFailure } from './failures.ts';

export type Control = CoreClient['control'];

/**
 * Calls core's control router once.
 * @throws CommandFailure `service_not_running` if the call certainly had no effect, `service_unreachable` if it may
 * have had one; otherwise core's failure
 */
export const withControl = async <T>(call: (control: Control) => Promise<T>): Promise<T> => {
  // Loaded lazily: help and offline commands do not need it, and it takes most of the start-up time.
  const { readClientSettings } = await import('@evaluation/platform/settings');
  const { url, token } = await findCore(readClientSettings());
  const { coreOverHttp, isUnreachable } = await import('@evaluation/core-client');
  const core = coreOverHttp({ url, token });
  try {
    return await call(core.as({}).control);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    throw wasNeverReached(error)
      ? new CommandFailure(
          'service_not_running',
          `No service answers at ${url}. Start it with \`npm start\`, or set CORE_URL to the address of core.`,
        )
      : new CommandFailure(
          'service_unreachable',
          `No answer came from ${url}, so it is not known whether this took effect. Check with \`institute show\` before you try again.`,
        );
  } finally {
    await core.close();
  }
};

/** Settings take precedence; missing values are read from the data folder of the service on this machine. */
const findCore = async (settings: ClientSettings): Promise<{ url: string; token: string }> => {
  const { coreUrl, controlToken, dataDir } = settings;
  if (coreUrl !== undefined && controlToken !== undefined) return { url: coreUrl, token: controlToken };
  const { findInstallation, installationFile } = await import('@evaluation/platform/installation');
  const installation = await findInstallation(dataDir);
  const url = coreUrl ?? installation?.core_url ?? null;
  const token = controlToken ?? installation?.tokens.control;
  if (url === null || token === undefined) {
    throw new CommandFailure(
      'service_not_running',
      `No service has run on this data folder yet (${installationFile(dataDir)}). Run \`npm start\` first, name its DATA_DIR, or set CORE_URL and CORE_CONTROL_TOKEN.`,
    );
  }
  return { url, token };
};

const NEVER_REACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const wasNeverReached = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && typeof error.code === 'string' && NEVER_REACHED.has(error.code)) ||
    wasNeverReached(error.cause));
