import { objectStore, type ObjectStoreOptions } from '@evaluation/object-store';
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import './startedServices.ts';

/** Create a bucket that nobody else uses; it goes with the test run. Hand the result to `objectStore`. */
export async function newBucket(): Promise<ObjectStoreOptions> {
  const options = { ...inject('testServices').s3, bucket: `test-${randomBytes(8).toString('hex')}` };
  const store = objectStore(options);
  try {
    await store.ensureBucket();
  } finally {
    store.close();
  }
  return options;
}
