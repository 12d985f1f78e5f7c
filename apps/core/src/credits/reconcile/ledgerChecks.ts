import { sql, type RawBuilder } from 'kysely';

/**
 * Checks of the ledger against itself and against the runs (docs/architecture.md#credits). Each check is one statement
 * and so reads one snapshot: a concurrent transaction is seen completely or not at all, and never reported as a
 * difference. The columns of a check are `finding, subject, expected, found`.
 */

const toBalance = sql`case kind when 'grant' then amount when 'charge' then -amount else 0 end`;
const toCommitted = sql`case kind when 'reserve' then amount when 'grant' then 0 else -amount end`;

/** Compares account and balances with the sum of the entries. Index: `credit_entries (institute_id, id)`. */
export const accountCheck = (instituteId: string): RawBuilder<unknown> => sql`
  with account as (
    select a.institute_id is not null as there, a.balance, total.balance as summed
    from (
      select coalesce(sum(${toBalance}), 0) as balance from credit_entries where institute_id = ${instituteId}
    ) total
    left join credit_accounts a on a.institute_id = ${instituteId}
  )
  select 'account_missing' as finding, ${instituteId} as subject, 'an account' as expected, 'none' as found
  from account where not there
  union all
  select 'balance_differs', ${instituteId}, summed::text, balance::text from account where balance <> summed
  union all
  select 'chain_broken', id::text,
    format('balance %s, committed %s', expected_balance, expected_committed),
    format('balance %s, committed %s', balance_after, committed_after)
  from (
    select id, balance_after, committed_after,
      lag(balance_after, 1, 0::numeric) over in_order + ${toBalance} as expected_balance,
      lag(committed_after, 1, 0::numeric) over in_order + ${toCommitted} as expected_committed
    from credit_entries where institute_id = ${instituteId}
    window in_order as (order by id)
  ) entry
  where balance_after <> expected_balance or committed_after <> expected_committed`;

/**
 * Compares runs with their entries, and committed credits with open reservations. Reports only the first difference of
 * a run, because the others follow from it. Indexes: `credit_entries (institute_id, id)`, `runs (institute_id,
 * queued_at)`.
 */
export const reservationCheck = (instituteId: string): RawBuilder<unknown> => sql`
  with entries as (
    select run_id,
      count(*) filter (where kind = 'reserve') as reserves,
      count(*) filter (where kind = 'charge') as charges,
      count(*) filter (where kind = 'release') as releases,
      coalesce(sum(amount) filter (where kind = 'reserve'), 0) as reserved,
      coalesce(sum(amount) filter (where kind <> 'reserve'), 0) as settled
    from credit_entries where institute_id = ${instituteId} and run_id is not null
    group by run_id
  ),
  run_entries as (
    select coalesce(r.id, e.run_id) as id, r.status, r.status in ('queued', 'released', 'claimed') as is_active,
      coalesce(r.price, 0) as price,
      coalesce(e.reserves, 0) as reserves, coalesce(e.charges, 0) as charges, coalesce(e.releases, 0) as releases,
      coalesce(e.reserved, 0) as reserved, coalesce(e.settled, 0) as settled
    from (select id, status, price from runs where institute_id = ${instituteId}) r
    full join entries e on e.run_id = r.id
  ),
  judged as (
    select *, case
      when status is null then 'entry_without_run'
      when reserves > 1 then 'reserved_twice'
      when charges + releases > 1 then 'settled_twice'
      when charges = 1 and status <> 'completed' then 'charged_but_not_completed'
      when releases = 1 and status = 'completed' then 'completed_but_released'
      when releases = 1 and is_active then 'released_while_active'
      when reserves = 0 and (price > 0 or settled > 0) then 'not_reserved'
      when reserves = 1 and charges + releases = 0 and not is_active then 'reservation_left_open'
      when reserved <> price or (charges + releases = 1 and settled <> reserved) then 'amount_differs'
    end as finding
    from run_entries
  )
  select finding, id::text as subject,
    case when status is null then 'a run'
      when is_active then format('reserved %s', price)
      when status = 'completed' then format('reserved %s, charged %s', price, price)
      else format('reserved %s, released %s', price, price) end as expected,
    format('%s, %s reserved (%s times), %s settled (charged %s times, released %s times)',
      coalesce(status::text, 'no run'), reserved, reserves, settled, charges, releases) as found
  from judged where finding is not null
  union all
  select 'committed_differs', ${instituteId}, open.amount::text, a.committed::text
  from credit_accounts a,
    (select coalesce(sum(reserved), 0) as amount from run_entries where charges + releases = 0) open
  where a.institute_id = ${instituteId} and a.committed <> open.amount`;
