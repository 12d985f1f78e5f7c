import { RUN_LANES } from '@evaluation/jobs-contract';
import * as z from 'zod/v4';
import { broadcastKeyChange } from './broadcastKeyChange.ts';
import type { Services } from '../../command/services.ts';
import { noSuchInstitute } from './findInstitute.ts';
import { amount, dailyCopyQuota, instituteName, price } from './provision.ts';

/** Absent fields keep their value; a price of null means the standard rate. */
export const InstituteEdit = z.object({
  institute_id: z.uuid(),
  name: instituteName.optional(),
  api_enabled: z.boolean().optional(),
  credits_per_page: price.nullable().optional(),
  credits_per_answer: price.nullable().optional(),
  daily_copy_quota: dailyCopyQuota.optional(),
  credit_limit: amount.optional(),
});

/**
 * Changes an institute. Quoted runs keep their price, and a limit below the present use only stops new submissions.
 * @throws DomainFailure not_found
 */
export const editInstitute = async (
  services: Services,
  input: z.output<typeof InstituteEdit>,
): Promise<void> => {
  const { institute_id: id, credit_limit: creditLimit, ...terms } = input;
  await services.database.inTenant(id, async (tx) => {
    const institute = await tx
      .selectFrom('institutes')
      .select('id')
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (institute === undefined) throw noSuchInstitute();
    const changed = columnsOf(terms);
    if (Object.keys(changed).length > 0) {
      await tx.updateTable('institutes').set(changed).where('id', '=', id).execute();
    }
    if (creditLimit !== undefined) {
      await tx
        .updateTable('credit_accounts')
        .set({ credit_limit: String(creditLimit) })
        .where('institute_id', '=', id)
        .execute();
    }
  });
  // Facades cache only `api_enabled` of these fields.
  if (input.api_enabled !== undefined) await broadcastKeyChange(services, { institute_id: id });
  if (input.api_enabled === true) for (const lane of RUN_LANES) services.wakeDispatcher(lane);
};

const columnsOf = (terms: Omit<z.output<typeof InstituteEdit>, 'institute_id' | 'credit_limit'>) => ({
  ...(terms.name === undefined ? {} : { name: terms.name }),
  ...(terms.api_enabled === undefined ? {} : { api_enabled: terms.api_enabled }),
  ...(terms.credits_per_page === undefined ? {} : { credits_per_page: decimal(terms.credits_per_page) }),
  ...(terms.credits_per_answer === undefined
    ? {}
    : { credits_per_answer: decimal(terms.credits_per_answer) }),
  ...(terms.daily_copy_quota === undefined ? {} : { daily_copy_quota: terms.daily_copy_quota }),
});

const decimal = (value: number | null): string | null => (value === null ? null : String(value));
