import { objectStore, type ObjectStoreOptions } from '@evaluation/object-store';
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import './startedServices.ts';

type TestBucket = ObjectStoreOptions & { accessKeyId: string; secretAccessKey: string };

/** Creates a new bucket, deleted with the test run. The result is passed to `objectStore`. */
export const newBucket = async (): Promise<TestBucket> => {
  const options = { ...inject('testServices').s3, bucket: `test-${randomBytes(8).toString('hex')}` };
  const store = objectStore(options);
  try {
    await store.ensureBucket();
  } finally {
    store.close();
  }
  return options;
};
