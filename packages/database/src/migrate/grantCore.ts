import pg from 'pg';
import { inTransaction, takeMigrationLock, withSession } from './session.ts';

/** Core may only insert and select here, so that a compromised core cannot change history. */
const APPEND_ONLY = ['audit_entries', 'credit_entries', 'credit_grant_keys', 'rubric_versions'];
const READ_ONLY = ['_prisma_migrations'];

/**
 * Grants core's role the rights that core needs and revokes all others: it may change rows of every table, but owns
 * no table and cannot change history. Row-level security applies to it. Idempotent, and called by every deploy,
 * because migrations add tables. Takes the migration lock.
 *
 * @param databaseUrl a role that owns the database
 * @throws Error when the role does not exist, bypasses row-level security, or can become the owner
 */
export const grantCore = (databaseUrl: string, role: string): Promise<void> =>
  withSession(databaseUrl, 'migrate grants', async (client) => {
    await takeMigrationLock(client);
    const { rows } = await client.query<{ mighty: boolean; owner: boolean; becomes_owner: boolean }>(
      `select
         exists (select from pg_roles as group_role
           where (group_role.rolsuper or group_role.rolbypassrls)
             and pg_has_role(pg_roles.oid, group_role.oid, 'member')) as mighty,
         rolname = current_user as owner,
         pg_has_role(pg_roles.oid, current_user, 'member') as becomes_owner
       from pg_roles where rolname = $1`,
      [role],
    );
    const [found] = rows;
    if (found === undefined) throw new Error(`CORE_DATABASE_ROLE: there is no role ${role}; create it first`);
    if (found.mighty) throw new Error(`CORE_DATABASE_ROLE: row-level security does not bind ${role}`);
    // With one role for both, core already owns all tables.
    if (found.owner) return;
    if (found.becomes_owner)
      throw new Error(
        `CORE_DATABASE_ROLE: ${role} is a member of the role that owns the tables, and can do all that it can; revoke that`,
      );
    const core = pg.escapeIdentifier(role);
    const each = (tables: readonly string[]) =>
      tables.map((table) => `public.${pg.escapeIdentifier(table)}`).join(', ');
    // In one transaction, so that no reader sees the rights revoked.
    await inTransaction(client, async () => {
      await client.query(`
        revoke all on schema public from ${core};
        revoke all on all tables in schema public from ${core};
        revoke all on all sequences in schema public from ${core};
        grant usage on schema public to ${core};
        grant select, insert, update, delete on all tables in schema public to ${core};
        revoke update, delete on ${each(APPEND_ONLY)} from ${core};
        revoke insert, update, delete on ${each(READ_ONLY)} from ${core};
        grant usage, select on all sequences in schema public to ${core};`);
    });
  });
