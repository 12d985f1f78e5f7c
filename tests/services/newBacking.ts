import { cloneDatabase, type ClonedDatabase } from './database/cloneDatabase.ts';
import { newBucket } from './newBucket.ts';
import { newLanes } from './newLanes.ts';

/** A database, bucket and lanes for one core, and the environment that connects core to them. */
interface Backing {
  clone: ClonedDatabase;
  bucket: Awaited<ReturnType<typeof newBucket>>;
  lanes: ReturnType<typeof newLanes>;
  environment: Record<string, string>;
}

/** Creates a backing. In its environment, all tokens of core are the same text, which is long enough to be accepted. */
export const newBacking = async (): Promise<Backing> => {
  const [clone, bucket] = await Promise.all([cloneDatabase(), newBucket()]);
  const lanes = newLanes();
  const secret = 'sixteen characters';
  return {
    clone,
    bucket,
    lanes,
    environment: {
      DATABASE_URL: clone.url,
      CORE_PUBLIC_TOKEN: secret,
      CORE_GRADING_TOKEN: secret,
      CORE_CONTROL_TOKEN: secret,
      ACTOR_SIGNING_KEY: secret,
      NATS_URL: lanes.url,
      LANE_NAMESPACE: lanes.namespace,
      S3_ENDPOINT: bucket.endpoint,
      S3_ACCESS_KEY_ID: bucket.accessKeyId,
      S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    },
  };
};
