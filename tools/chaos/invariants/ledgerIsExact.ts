import { coreOverHttp } from '@evaluation/core-client';
import type { Observer } from '../site/observer.ts';

/** `reconcile` finds nothing, and the sum of charges is the price of the runs that completed. */
export const ledgerIsExact = async (
  observer: Observer,
  core: { url: string; token: string },
  instituteId: string,
): Promise<string[]> => {
  const control = coreOverHttp(core);
  try {
    const { findings } = await control.as({}).control.reconcile.query({ institute_id: instituteId });
    const [sums] = await observer.query<{ charged: string; due: string }>(
      `select
         (select coalesce(sum(amount), 0) from credit_entries where institute_id = $1 and kind = 'charge')::text as charged,
         (select coalesce(sum(price), 0) from runs where institute_id = $1 and status = 'completed')::text as due`,
      [instituteId],
    );
    return [
      ...findings.map((finding) => `reconcile: ${JSON.stringify(finding)}`),
      ...(sums?.charged === sums?.due ? [] : [`${sums?.charged} charged for runs of ${sums?.due}`]),
    ];
  } finally {
    await control.close();
  }
};
