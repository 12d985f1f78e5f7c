import { startPostgres } from '@evaluation/embedded';
import { closedAfterTests, folderForTests } from '@evaluation/test-services';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { MigrationFailed } from '../migrate/deploy.ts';
import { drift, newMigration } from './drift.ts';

const root = await folderForTests('drift-');
const server = closedAfterTests(await startPostgres({ dataDir: join(root, 'postgres'), durable: false }));
let folder: string;

const SCHEMA = `
generator client {
  provider        = "prisma-client"
  output          = "../client"
  previewFeatures = ["partialIndexes"]
}
datasource db {
  provider = "postgresql"
}
enum Colour {
  red
  green
}
model boxes {
  id     String  @id @default(dbgenerated("gen_random_uuid()")) @db.Uuid
  colour Colour
  weight Decimal @db.Decimal(6, 2)
  note   String? @db.VarChar(40)
  made   DateTime @default(now()) @db.Timestamptz(3)

  @@unique([note], map: "one_red", where: raw("colour = 'red'"))
}
`;

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'schema-'));
  await writeFile(join(folder, 'schema.prisma'), SCHEMA);
});

describe('drift and new migrations', () => {
  test('after a new migration there is no drift and no further migration', async () => {
    expect(await drift(server.superuserUrl, { folder })).toContain('CREATE TABLE "boxes"');
    const file = await newMigration(server.superuserUrl, 'make_boxes', { folder });
    expect(file).toMatch(/migrations\/\d{14}_make_boxes\/migration\.sql$/);
    expect(await readFile(file ?? '', 'utf8')).toContain(`WHERE (colour = 'red')`);
    expect(await drift(server.superuserUrl, { folder })).toBe('');
    expect(await newMigration(server.superuserUrl, 'nothing_more', { folder })).toBeNull();
  });

  test('drift returns the missing SQL, and a new migration holds exactly that', async () => {
    await newMigration(server.superuserUrl, 'make_boxes', { folder });
    await writeFile(
      join(folder, 'schema.prisma'),
      SCHEMA.replace('note   String?', 'label String?\n  note   String?'),
    );
    expect(await drift(server.superuserUrl, { folder })).toBe(
      '-- AlterTable\nALTER TABLE "boxes" ADD COLUMN     "label" TEXT;',
    );
  });

  test('temporary databases are dropped, also when a migration fails', async () => {
    await mkdir(join(folder, 'migrations', '20260101000000_a'), { recursive: true });
    await writeFile(join(folder, 'migrations', '20260101000000_a', 'migration.sql'), 'SELECT 1/0');
    await expect(drift(server.superuserUrl, { folder })).rejects.toThrow(MigrationFailed);
    const client = new pg.Client({ connectionString: server.superuserUrl });
    await client.connect();
    const { rows } = await client.query(`SELECT datname FROM pg_database WHERE datname LIKE 'throw_away%'`);
    await client.end();
    expect(rows).toEqual([]);
  });

  test('an invalid migration name is refused', async () => {
    await expect(newMigration(server.superuserUrl, '../elsewhere', { folder })).rejects.toThrow(RangeError);
  });
});
