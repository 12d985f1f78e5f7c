import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/*
 * Migrations of a release are applied while the release before it still serves (docs/compatibility.md). They may add;
 * they must not drop, rename, narrow or constrain what the earlier release reads and writes.
 */

const folder = join(import.meta.dirname, '../../packages/database/prisma/migrations');

/** Last migration of the first release. Until its tag, a change may edit this migration. */
const FIRST_RELEASE = '20261126000000_tables';

/**
 * Allowed removals by migration: the beginning of each statement, and the release that stopped using the removed
 * object. That release must be older than the release of the migration.
 */
const CONTRACTED: Readonly<Record<string, readonly { statement: string; unusedSince: string }[]>> = {};

const withoutBodies = (sql: string): string =>
  sql
    .replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, "'body'")
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/'(?:[^']|'')*'/g, "''");

const statementsOf = (sql: string): string[] =>
  withoutBodies(sql)
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');

const tableOf = (statement: string): string =>
  (
    /^(?:CREATE TABLE(?: IF NOT EXISTS)?|ALTER TABLE(?: IF EXISTS)?(?: ONLY)?) ([\w".]+)/i.exec(
      statement,
    )?.[1] ??
    / ON (?:ONLY )?([\w".]+)/i.exec(statement)?.[1] ??
    ''
  ).replaceAll(/"|^.*\./g, '');

const REFUSED: readonly [what: string, pattern: RegExp][] = [
  ['takes away', /\bDROP\b|^TRUNCATE\b/i],
  ['renames', /\bRENAME\b/i],
  ['changes a type', /\bALTER COLUMN \S+ (?:SET DATA )?TYPE\b/i],
  ['refuses what was allowed', /\bSET NOT NULL\b/i],
  [
    'adds a column that the older release does not fill',
    /\bADD COLUMN(?! [^,]*\bDEFAULT\b)[^,]*\bNOT NULL\b/i,
  ],
  [
    'checks what the older release writes',
    /\bADD (?:CONSTRAINT|CHECK|UNIQUE|FOREIGN KEY|PRIMARY KEY|EXCLUDE)\b/i,
  ],
  ['checks what the older release writes', /^CREATE UNIQUE INDEX\b/i],
  [
    'hides what the older release sees',
    /\b(?:ENABLE|FORCE) ROW LEVEL SECURITY\b|^CREATE POLICY\b.*\bAS RESTRICTIVE\b/i,
  ],
  ['takes a right away', /^REVOKE\b/i],
  // On a large table this blocks writes for minutes; the migration cannot know the size of a table.
  ['blocks writes while it is built', /^CREATE INDEX (?!CONCURRENTLY IF NOT EXISTS\b)/i],
];

/** Statements that break an earlier release. A table created by the same migration allows any statement. */
const faultsOf = (sql: string): string[] => {
  const statements = statementsOf(sql);
  const made = new Set(statements.filter((one) => /^CREATE TABLE\b/i.test(one)).map(tableOf));
  return statements.flatMap((statement) => {
    const fault = REFUSED.find(([, pattern]) => pattern.test(statement));
    return fault === undefined || made.has(tableOf(statement))
      ? []
      : [`${fault[0]}: ${statement.slice(0, 100)}`];
  });
};

test('every migration since the first release only adds, or names the release that stopped using the removed object', async () => {
  const names = (await readdir(folder)).filter((name) => /^\d/.test(name)).toSorted();
  expect(names).toContain(FIRST_RELEASE);
  for (const name of names.filter((one) => one > FIRST_RELEASE)) {
    const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
    const excused = CONTRACTED[name] ?? [];
    const faults = faultsOf(sql).filter(
      (fault) => !excused.some(({ statement }) => fault.includes(`: ${statement}`)),
    );
    expect(faults, name).toEqual([]);
  }
  for (const name of Object.keys(CONTRACTED)) expect(names).toContain(name);
});

test.each([
  'DROP TABLE "runs";',
  'ALTER TABLE "runs" DROP COLUMN "worker";',
  'ALTER TABLE runs\n  ALTER COLUMN worker DROP NOT NULL;',
  'ALTER TABLE "runs" RENAME COLUMN "worker" TO "holder";',
  'ALTER TABLE "runs" ALTER COLUMN "fence" SET DATA TYPE BIGINT;',
  'ALTER TABLE "runs" ALTER COLUMN "worker" SET NOT NULL;',
  'ALTER TABLE "runs" ADD COLUMN "a" TEXT DEFAULT \'x\', ADD COLUMN "b" TEXT NOT NULL;',
  // NOT VALID still checks new rows, and the older release writes new rows.
  'ALTER TABLE runs ADD CONSTRAINT sane CHECK (fence >= 0) NOT VALID;',
  'CREATE UNIQUE INDEX "one" ON "runs" ("worker");',
  'ALTER TABLE runs ENABLE ROW LEVEL SECURITY;',
  'REVOKE UPDATE ON runs FROM core;',
  'CREATE TABLE other (id int); DROP INDEX runs_queue;',
  'CREATE INDEX more ON runs (worker);',
  'CREATE TABLE other (id int); CREATE INDEX more ON runs (worker);',
])('a migration is refused with %s', (sql) => {
  expect(faultsOf(sql)).toHaveLength(1);
});

test.each([
  'ALTER TABLE "runs" ADD COLUMN     "traceparent" TEXT;',
  'ALTER TABLE "runs" ADD COLUMN "tries" INTEGER NOT NULL DEFAULT 0;',
  'CREATE TABLE "notes" ("id" UUID NOT NULL); ALTER TABLE notes ENABLE ROW LEVEL SECURITY; CREATE UNIQUE INDEX n ON "notes" ("id"); ALTER TABLE "notes" ADD CONSTRAINT f FOREIGN KEY ("id") REFERENCES runs("id");',
  '-- outside a transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS more ON runs (worker);',
  'CREATE TABLE other (id int); CREATE INDEX more ON other (id);',
  "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DROP TABLE x; $$; -- DROP TABLE y\nCOMMENT ON TABLE runs IS 'DROP; it''s'",
])('a migration is allowed with %s', (sql) => {
  expect(faultsOf(sql)).toEqual([]);
});
