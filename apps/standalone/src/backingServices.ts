import { join } from 'node:path';
import { startNats, startPostgres, startS3, type EmbeddedNats, type NatsOptions } from '@evaluation/embedded';
import { COMPONENTS, permissionsText, type Component } from '@evaluation/jobs-contract';
import type { StandaloneSettings } from '@evaluation/platform/settings';

export interface BackingServices {
  databaseUrl: string;
  /** NATS address of each component, with a user that has only the permissions of that component. */
  natsUrls: Record<Component, string>;
  s3: { endpoint: string; accessKeyId: string; secretAccessKey: string };
  close(): Promise<void>;
}

/** Starts those of PostgreSQL, NATS and S3 that the settings do not name (docs/architecture.md#start). */
export const startBackingServices = async (
  settings: StandaloneSettings,
  onProgress: (line: string) => void,
): Promise<BackingServices> => {
  const started: { close(): Promise<void> }[] = [];
  const embedded = async <T extends { close(): Promise<void> }>(
    what: string,
    start: () => Promise<T>,
  ): Promise<T> => {
    onProgress(`starting ${what}`);
    const service = await start();
    started.push(service);
    return service;
  };
  const close = async () => {
    for (const service of started.toReversed()) await service.close();
  };
  try {
    const folder = (name: string) => join(settings.dataDir, name);
    const natsOptions = (): NatsOptions => ({
      dataDir: folder('nats'),
      users: Object.fromEntries(
        COMPONENTS.map((component) => [component, permissionsText(component, settings.laneNamespace)]),
      ),
      onProgress,
      ...(settings.natsServerBinary === undefined ? {} : { binary: settings.natsServerBinary }),
    });
    const databaseUrl =
      settings.databaseUrl ??
      (
        await embedded('PostgreSQL', () =>
          startPostgres({ dataDir: folder('postgres'), durable: true, onProgress }),
        )
      ).url;
    const natsUrls =
      settings.natsUrls ?? natsUrlsOf(await embedded('nats-server', () => startNats(natsOptions())));
    const s3 = settings.s3 ?? (await embedded('the S3 endpoint', () => startS3({ dataDir: folder('s3') })));
    return { databaseUrl, natsUrls, s3, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const natsUrlsOf = ({ urlFor }: EmbeddedNats): Record<Component, string> => ({
  core: urlFor('core'),
  facade: urlFor('facade'),
  worker: urlFor('worker'),
});
