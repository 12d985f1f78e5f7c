import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import './startedServices.ts';

export function newNamespace(): string {
  return `test_${randomBytes(8).toString('hex')}`;
}

/** For `openLanes`, with a `name` added. `urls` use each component's own user. */
export function newLanes(): {
  url: string;
  urls: { core: string; facade: string; worker: string };
  namespace: string;
} {
  return { ...inject('testServices').nats, namespace: newNamespace() };
}
