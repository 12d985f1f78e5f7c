import type { TestProject } from 'vitest/node';
import type { StartedServices } from './startedServices.ts';

/**
 * Vitest's global setup: starts one PostgreSQL, one nats-server and one S3 endpoint for the whole test run. Each test
 * file uses its own database, buckets and namespace on them.
 * `TEST_SERVICES=containers` uses Docker images instead of the embedded servers. Without a Docker engine the run ends
 * with 1 and prints the reason.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = await start(process.env['TEST_SERVICES']);
  project.provide('testServices', started.services);
  return () => started.close();
}

const start = async (kind: string | undefined): Promise<StartedServices> => {
  // Imported on demand: machines without Docker do not load its client.
  if (kind === 'containers') {
    const missing = await (await import('./servers/containerEngine.ts')).whyNoContainers();
    if (missing !== null) {
      console.error(missing);
      // An error would be printed with its stack. Nothing has been started yet.
      process.exit(1);
    }
    return await (await import('./servers/containers.ts')).startContainerServices();
  }
  if (kind === undefined || kind === '' || kind === 'embedded') {
    return await (await import('./servers/embedded.ts')).startEmbeddedServices();
  }
  throw new Error(`TEST_SERVICES is "embedded" or "containers", not "${kind}"`);
};
