/** The object store: keys, presigned URLs, and S3 calls of the service (docs/architecture.md#uploads). */
export { objectStore, ObjectStoreTimeout } from './objectStore.ts';
export type { ObjectStore, ObjectStoreOptions, PresignedPut } from './objectStore.ts';
export {
  checkedCopyKey,
  checkedCopyPrefix,
  evidencePackKey,
  evidenceOfSubmissionPrefix,
  evidencePrefix,
  redrawnCopyKey,
  sealedKey,
  uploadKey,
} from './keys.ts';
