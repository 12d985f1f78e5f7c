import type { TestProject } from 'vitest/node';
import type { StartedServices } from './startedServices.ts';

/**
 * Vitest's global setup: one PostgreSQL, one nats-server and one S3 endpoint for the whole test run. Test files share
 * the servers and nothing in them: each takes its own database, buckets and namespace.
 *
 * `TEST_SERVICES=containers` uses Docker images instead of the embedded servers.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = await start(process.env['TEST_SERVICES']);
  project.provide('testServices', started.services);
  return () => started.close();
}

async function start(kind: string | undefined): Promise<StartedServices> {
  // Loaded when asked for: a machine without Docker never loads its client.
  if (kind === 'containers') return await (await import('./services/containers.ts')).startContainerServices();
  if (kind === undefined || kind === '' || kind === 'embedded') {
    return await (await import('./services/embedded.ts')).startEmbeddedServices();
  }
  throw new Error(`TEST_SERVICES is "embedded" or "containers", not "${kind}"`);
}
