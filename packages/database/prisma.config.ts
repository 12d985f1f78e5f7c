import { defineConfig } from 'prisma/config';

// `generate`, `validate` and `format` need no schema engine, yet the CLI looks for its native binary before any command
// and downloads it from a host that a build machine may not reach. Naming any file that exists satisfies the look.
// Other commands must not find it there: they would run it. Migrations have their own way, see src/migrate.
const engineless = ['generate', 'validate', 'format'];
if (process.argv.some((argument) => engineless.includes(argument))) {
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
}

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
});
