import { openDatabase } from '@evaluation/database';
import { openLanes } from '@evaluation/lanes';
import { objectStore, type ObjectStoreOptions } from '@evaluation/object-store';
import { readCoreSettings } from '@evaluation/platform/settings';
import { actorVerifier } from '@evaluation/platform/signed-actor';
import { createLogger } from '@evaluation/platform/telemetry';
import { newBacking } from '@evaluation/test-services';
import pg from 'pg';
import { createInstitute, InstituteCreate } from '../src/people/institutes/provision.ts';
import type { Services } from '../src/command/services.ts';
import { knownInspections } from '../src/command/workerCalls/knownInspections.ts';
import { knownClaims } from '../src/command/workerCalls/knownClaims.ts';

/** Core's services for one test file. Neither the dispatcher nor a round runs, unless the test calls it. */
export interface TestCore {
  services: Services;
  /** The bucket behind `services.objects`, for another client of it. */
  bucket: ObjectStoreOptions;
  /**
   * A superuser's connection for which neither foreign keys nor triggers hold: a test can insert rows without their
   * parents and with any timestamps.
   */
  client: pg.Client;
  /** Makes an institute without credits and with the settings that a new institute has. @returns its id */
  newInstitute: (name?: string) => Promise<string>;
  /** Closes the services and drops the database. @throws Error when a connection to the database was left open */
  close: () => Promise<void>;
}

/**
 * Starts core's services on a database, a bucket and lanes of their own.
 * @param environment settings of core that differ from the defaults
 */
export const newTestCore = async (environment: Record<string, string> = {}): Promise<TestCore> => {
  const { clone, bucket, lanes: ownLanes, environment: backing } = await newBacking();
  const settings = readCoreSettings({ ...backing, S3_BUCKET: bucket.bucket, ...environment });
  const log = createLogger({ service: 'test', level: 'silent' });
  const database = await openDatabase({ ...settings.database, log });
  const lanes = openLanes({ ...ownLanes, name: 'core' });
  const objects = objectStore(settings.objects);
  const client = new pg.Client({ connectionString: clone.superuserUrl });
  await client.connect();
  await client.query('set session_replication_role = replica');
  const services: Services = {
    database,
    lanes,
    objects,
    settings,
    log,
    verifyActor: actorVerifier(settings.actorSigningKeys, settings.teams),
    wakeDispatcher: () => {},
    afterCommit: (effect) => effect(),
    changes: { note: () => {} },
    lanePace: { of: () => null },
    claims: knownClaims(),
    inspections: knownInspections(),
  };
  return {
    services,
    bucket,
    client,
    newInstitute: async (name = 'Institute') => {
      const institute = await createInstitute(services, InstituteCreate.parse({ name, credits: 0 }));
      return institute.institute_id;
    },
    close: async () => {
      await client.end();
      await lanes.close();
      await database.close();
      objects.close();
      await clone.drop();
    },
  };
};
