import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contracts,packages,apps,tests}/**/*.test.ts'],
    // One PostgreSQL, nats-server and S3 endpoint for the whole run.
    // Two cores are the smallest machine we support: more forks only contend with the embedded services.
    globalSetup: ['packages/test-services/src/globalSetup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
