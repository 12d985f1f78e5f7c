/** `npm run new-migration -- NAME`: writes the migration from the existing migrations to schema.prisma. */
import { newMigration } from '@evaluation/database/drift';
import { withServer } from './withServer.ts';

const [name] = process.argv.slice(2);
if (name === undefined) {
  console.error('Name the migration: npm run new-migration -- add_rubric_source');
  process.exitCode = 2;
} else {
  const file = await withServer((superuserUrl) => newMigration(superuserUrl, name));
  console.log(file ?? 'The migrations already match schema.prisma.');
}
