import { randomUUID } from 'node:crypto';
import { coreOverHttp, failureOf, type CoreAccess, type CoreClient } from '@evaluation/core-client';
import { findInstallation, type Installation } from '@evaluation/platform/installation';
import { staffActor } from '@evaluation/platform/signed-actor';
import type { TestService } from './service.ts';

/** Clients of core's public router for staff of an institute, as an internal team makes them. */
export interface Staff {
  as(instituteId: string, scopes?: readonly string[], role?: 'admin' | 'examiner'): CoreClient['public'];
  access: CoreAccess;
  close(): Promise<void>;
}

/** Secrets and addresses of a service, as its data folder has them. */
export const installationOf = async (service: TestService): Promise<Installation & { core_url: string }> => {
  const installation = await findInstallation(service.environment['DATA_DIR'] ?? '');
  if (installation?.core_url == null) throw new Error('the service has no installation');
  return { ...installation, core_url: installation.core_url };
};

/** Code of the failure of a call, or `answered`. */
export const codeOf = (call: Promise<unknown>): Promise<string | undefined> =>
  call.then(
    () => 'answered',
    (error: unknown) => failureOf(error)?.code,
  );

export const openStaff = async (service: TestService): Promise<Staff> => {
  const installation = await installationOf(service);
  const access = coreOverHttp({
    url: installation.core_url,
    token: installation.tokens.public,
    actorSigningKey: installation.actor_signing_key,
  });
  return {
    as: (instituteId, scopes = ['evaluation:review'], role = 'admin') =>
      access.as({
        actor: staffActor({
          institute_id: instituteId,
          staff_id: randomUUID(),
          role,
          scopes: [...scopes],
        }),
      }).public,
    access,
    close: () => access.close(),
  };
};
