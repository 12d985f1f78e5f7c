import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contracts,packages,apps,tests}/**/*.test.ts'],
    // One PostgreSQL, nats-server and S3 endpoint for the whole run.
    // Two cores are the smallest machine we support; the third fork works while others wait for a lease or a deadline.
    globalSetup: ['packages/test-services/src/globalSetup.ts'],
    setupFiles: ['tests/harness/keepCompiled.ts'],
    pool: 'forks',
    maxWorkers: 3,
    // Long on purpose: they end what hangs. A wait within a test gives up before and says what it waited for.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
