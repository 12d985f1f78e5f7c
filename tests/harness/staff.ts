import { randomUUID } from 'node:crypto';
import { coreOverHttp, type CoreClient } from '@evaluation/core-client';
import { findInstallation } from '@evaluation/installation';
import { staffActor } from '@evaluation/signed-actor';
import type { TestService } from './service.ts';

/** Clients of core's public router for staff of an institute, as an internal team makes them. */
export interface Staff {
  as(instituteId: string, scopes?: readonly string[], role?: 'admin' | 'examiner'): CoreClient['public'];
  close(): Promise<void>;
}

export const openStaff = async (service: TestService): Promise<Staff> => {
  const installation = await findInstallation(service.environment['DATA_DIR'] ?? '');
  if (installation?.core_url == null) throw new Error('the service has no installation');
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
    close: () => access.close(),
  };
};
