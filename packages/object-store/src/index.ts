/** The object store: keys, presigned URLs, and S3 calls of the service (docs/architecture.md#uploads). */
export { objectStore, ObjectsNotDeleted, ObjectStoreTimeout } from './objectStore.ts';
export type {
  CallOptions,
  ObjectHead,
  ObjectStore,
  ObjectStoreOptions,
  PresignedPut,
} from './objectStore.ts';
export {
  checkedCopyKey,
  checkedCopyPrefix,
  evidenceKey,
  evidencePackKey,
  evidenceOfSubmissionPrefix,
  evidencePrefix,
  redrawnCopyKey,
  sealedKey,
  uploadKey,
} from './keys.ts';
