import type { TestService } from './service.ts';
import { newTenant, startIdleService, type Tenant } from './tenant.ts';

interface RestSuite {
  service: TestService;
  tenant: Tenant;
}

let shared: Promise<TestService> | undefined;

/**
 * The set-up of a REST test file: `const { service, tenant } = await restSuite();` at its top.
 * All files of a fork share one service without workers, which ends with the fork. A file whose tests need other
 * settings, claim runs, stop the service or change rows of other institutes starts its own with `startIdleService`.
 */
export const restSuite = async (): Promise<RestSuite> => {
  shared ??= startIdleService();
  const service = await shared;
  return { service, tenant: await newTenant(service) };
};
