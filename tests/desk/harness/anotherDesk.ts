import { coreOverHttp } from '@evaluation/core-client';
import { startDesk } from '@evaluation/desk';
import { readDeskSettings } from '@evaluation/platform/settings';
import { freePort } from '../../harness/processes.ts';
import type { DeskSuite } from './deskSuite.ts';

/**
 * Starts one more desk of the suite's service with settings of its own, such as the address of a link to core.
 * @returns its address on this machine
 */
export const startAnotherDesk = async (
  { service, coreUrl, coreAccess }: DeskSuite,
  settings: Record<string, string>,
): Promise<{ url: string; close(): Promise<void> }> => {
  const port = await freePort();
  const { environment } = service;
  const read = readDeskSettings({
    ...environment,
    NATS_URL: environment['FACADE_NATS_URL'],
    CORE_URL: coreUrl,
    CORE_PUBLIC_TOKEN: coreAccess.token,
    ACTOR_SIGNING_KEY: coreAccess.actorSigningKey,
    DESK_PORT: String(port),
    LINGER_SECONDS: '0',
    ...settings,
  });
  const core = coreOverHttp(read.core);
  const desk = await startDesk(read, core);
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await desk.close();
      await core.close();
    },
  };
};
