/** The object store: keys, presigned addresses, and the few S3 calls the service makes (docs/architecture.md#uploads). */
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
  evidenceOfSubmissionPrefix,
  evidencePrefix,
  redrawnCopyKey,
  sealedKey,
  uploadKey,
} from './keys.ts';
