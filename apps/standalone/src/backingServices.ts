import { join } from 'node:path';
import { startNats, startPostgres, startS3 } from '@evaluation/embedded';
import type { StandaloneSettings } from '@evaluation/settings';

export interface BackingServices {
  databaseUrl: string;
  natsUrl: string;
  s3: { endpoint: string; accessKeyId: string; secretAccessKey: string };
  close(): Promise<void>;
}

/** PostgreSQL, NATS and S3: each is the one that the settings name, or an embedded one (design chapter 7). */
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
    const databaseUrl =
      settings.databaseUrl ??
      (
        await embedded('PostgreSQL', () =>
          startPostgres({ dataDir: folder('postgres'), durable: true, onProgress }),
        )
      ).url;
    const natsUrl =
      settings.natsUrl ??
      (
        await embedded('nats-server', () =>
          startNats({
            dataDir: folder('nats'),
            onProgress,
            ...(settings.natsServerBinary === undefined ? {} : { binary: settings.natsServerBinary }),
          }),
        )
      ).url;
    const s3 = settings.s3 ?? (await embedded('the S3 endpoint', () => startS3({ dataDir: folder('s3') })));
    return { databaseUrl, natsUrl, s3, close };
  } catch (error) {
    await close();
    throw error;
  }
};
