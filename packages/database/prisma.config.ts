import { defineConfig } from 'prisma/config';

// `generate`, `validate` and `format` need no schema engine, but the CLI searches for its native binary before any
// command and downloads it from a host that a build machine may not reach. For these commands any existing file
// satisfies the search. Other commands would execute that file, so they do not get it. Migrations run without the CLI
// (src/migrate).
const engineless = ['generate', 'validate', 'format'];
if (process.argv.some((argument) => engineless.includes(argument))) {
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
}

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
});
