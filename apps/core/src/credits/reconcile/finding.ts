/**
 * What the reconciler can find (docs/operations.md says what to do with each). Each is something that the service never
 * does: a finding means a fault of ours, or a hand in the tables.
 */
export const FINDINGS = [
  // The account against its entries.
  'account_missing',
  'balance_differs',
  'committed_differs',
  'chain_broken',
  // The entries of a run against the run.
  'entry_without_run',
  'reserved_twice',
  'settled_twice',
  'charged_but_not_completed',
  'completed_but_released',
  'released_while_active',
  'not_reserved',
  'reservation_left_open',
  'amount_differs',
  // A submission against its run.
  'current_run_missing',
  'status_contradicts_run',
  'credits_charged_differs',
  'run_of_gone_submission',
  'stray_run',
  // Counters against what they count.
  'live_submissions_differ',
  'live_unfinalized_differ',
  'copies_uncounted',
  'copies_overcounted',
  'copies_of_keys_exceed',
] as const;
export type FindingKind = (typeof FINDINGS)[number];

export interface Finding {
  institute_id: string;
  finding: FindingKind;
  /** Id of what it is about: a run, an entry, a submission, an exam; of the account and the daily counters, the UTC day or the institute. */
  subject: string;
  expected: string;
  found: string;
  /** How many of this kind the institute has; no more than the first few are listed. */
  total: number;
}
