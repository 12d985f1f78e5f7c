import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import './startedServices.ts';

const newNamespace = (): string => `test_${randomBytes(8).toString('hex')}`;

/** Options of `openLanes` without `name`, in a new namespace. `urls` use each component's own user. */
export const newLanes = (): {
  url: string;
  urls: { core: string; facade: string; worker: string };
  namespace: string;
} => ({ ...inject('testServices').nats, namespace: newNamespace() });
