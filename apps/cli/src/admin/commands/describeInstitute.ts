import type { Control } from '../control.ts';

type Institute = Awaited<ReturnType<Control['showInstitute']['query']>>;

export const describeInstitute = (institute: Institute): string[] => {
  const { balance, credit_limit, committed } = institute.credits;
  const price = (contract: number | null): string => (contract === null ? 'standard' : `${contract} credits`);
  return [
    `${institute.name}  ${institute.institute_id}`,
    `  API           ${institute.api_enabled ? 'enabled' : 'disabled'}`,
    `  credits       ${balance} (${committed} committed to copies in the queue, credit limit ${credit_limit})`,
    `  prices        page: ${price(institute.credits_per_page)}, typed answer: ${price(institute.credits_per_answer)}`,
    `  daily quota   ${institute.daily_copy_quota} copies`,
    `  created       ${institute.created_at}`,
    ...(institute.keys.length === 0 ? ['  keys          none'] : ['  keys']),
    ...institute.keys.map((key) => `    ${describeKey(key)}`),
  ];
};

export const describeKey = (key: Institute['keys'][number]): string =>
  [
    `${key.key_id}  …${key.last_four}`,
    key.scopes.map((scope) => scope.replace(/^evaluation:/, '')).join(','),
    key.rate_tier,
    ...(key.daily_copy_cap === null ? [] : [`at most ${key.daily_copy_cap} copies a day`]),
    ...(key.expires_at === null ? [] : [`expires ${key.expires_at}`]),
    ...(key.revoked_at === null ? [] : [`REVOKED ${key.revoked_at}`]),
    key.last_used_at === null ? 'never used' : `last used ${key.last_used_at}`,
  ].join('  ');
