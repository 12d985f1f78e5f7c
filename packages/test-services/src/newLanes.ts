import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import './startedServices.ts';

/** A namespace that nobody else uses, so that lanes and broadcasts of other tests are not heard. */
export function newNamespace(): string {
  return `test_${randomBytes(8).toString('hex')}`;
}

/** Where NATS is, under a new namespace; add a `name` and hand it to `openLanes`. `urls` are of each part's own user. */
export function newLanes(): {
  url: string;
  urls: { core: string; facade: string; worker: string };
  namespace: string;
} {
  return { ...inject('testServices').nats, namespace: newNamespace() };
}
