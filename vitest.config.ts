import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/harness/longestFirst.ts';

export default defineConfig({
  test: {
    include: ['{contracts,packages,apps,tests,tools}/**/*.test.ts'],
    // One PostgreSQL, nats-server and S3 endpoint for the whole run.
    // Two cores are the smallest machine we support; two more forks work while others wait for a lease or a deadline.
    globalSetup: ['tests/services/globalSetup.ts', 'tests/harness/bundlesOfRun.ts'],
    setupFiles: ['tests/harness/keepCompiled.ts', 'tests/harness/properties.ts'],
    pool: 'forks',
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Test files of one fork share the modules that they load, so a module keeps no state of a test. A fork for each
    // file cost a quarter of the CPU of a run.
    isolate: false,
    // Node loads the sources and strips the types, as it does in production, so the compile cache serves tests too.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Long on purpose: they end what hangs. A wait within a test gives up before and says what it waited for.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
