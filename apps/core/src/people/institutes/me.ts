import { DomainFailure } from '@evaluation/rest-contract/errors';
import { Scope, type Account } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { copiesToday, nextReset } from '../../credits/dailyCopies.ts';
import type { Services } from '../../command/services.ts';

export const me = async (services: Services, actor: Actor): Promise<Account> => {
  const key = await services.database.control.api_keys.findUnique({
    where: { id: actor.key_id, institute_id: actor.institute_id },
    include: { institute: true },
  });
  if (key === null || key.revoked_at !== null) throw new DomainFailure('invalid_api_key');
  const { day, copies } = await services.database.inTenant(actor.institute_id, (tx) =>
    copiesToday(tx, actor.institute_id),
  );
  return {
    institute: { id: key.institute.id, name: key.institute.name },
    scopes: key.scopes.flatMap((scope) => {
      const known = Scope.safeParse(scope);
      return known.success ? [known.data] : [];
    }),
    rate_tier: key.rate_tier,
    daily_copy_quota: key.institute.daily_copy_quota,
    daily_copy_cap: key.daily_copy_cap,
    quota_used_today: copies,
    quota_resets_at: nextReset(day),
  };
};
