/**
 * Allowed imports by folder (docs/architecture.md#layout). A folder that is not listed may import no other folder of
 * the repository, so a new package needs a decision.
 */
const contracts = ['contracts/rest', 'contracts/jobs'];
const adapter = [...contracts, 'packages/rules', 'packages/platform/src/telemetry'];

export const allowed: Readonly<Record<string, readonly string[] | 'anything'>> = {
  'contracts/rest': [],
  'contracts/jobs': [],
  'packages/rules': ['contracts/rest'],
  'packages/rules/src/grading-model': ['contracts/rest'],
  'packages/guide': ['packages/rules'],
  'packages/platform/src/telemetry': [],
  'packages/platform/src/settings': ['contracts/jobs'],
  'packages/platform/src/installation': [],
  'packages/platform/src/signed-actor': contracts,
  'packages/platform/src/backoff': [],
  'packages/platform/src/client-limits': [],
  'packages/platform/src/turns': [],
  'packages/database': [...adapter, 'packages/platform/src/backoff', 'packages/platform/src/turns'],
  'packages/lanes': [...adapter, 'packages/platform/src/backoff'],
  'packages/object-store': adapter,
  'packages/pdf': adapter,
  'packages/grader': [
    ...adapter,
    'packages/platform/src/backoff',
    'packages/rules/src/grading-model',
    'packages/platform/src/turns',
  ],
  'packages/grader/src/evidence': [
    ...contracts,
    'packages/rules',
    'packages/rules/src/grading-model',
    'packages/guide',
    'packages/grader',
  ],
  'packages/embedded': ['packages/platform/src/telemetry'],
  'packages/core-client': [
    ...contracts,
    'packages/platform/src/signed-actor',
    'packages/platform/src/telemetry',
    'apps/core',
  ],
  // The bundler knows only the paths of the programs that it bundles.
  'packages/bundle': [],
  'tests/services': [
    ...adapter,
    'packages/embedded',
    'packages/database',
    'packages/lanes',
    'packages/object-store',
  ],
  'apps/core': [
    ...adapter,
    'packages/platform/src/backoff',
    'packages/platform/src/client-limits',
    'packages/rules/src/grading-model',
    'packages/guide',
    'packages/database',
    'packages/lanes',
    'packages/object-store',
    'packages/platform/src/settings',
    'packages/platform/src/signed-actor',
    'packages/platform/src/turns',
  ],
  'apps/facade': [
    ...adapter,
    'packages/platform/src/client-limits',
    'packages/core-client',
    'packages/lanes',
    'packages/platform/src/settings',
    'packages/platform/src/turns',
  ],
  'apps/desk': [
    ...adapter,
    'packages/platform/src/client-limits',
    'packages/core-client',
    'packages/lanes',
    'packages/platform/src/settings',
    'packages/platform/src/signed-actor',
  ],
  'apps/worker': [
    ...adapter,
    'packages/platform/src/backoff',
    'packages/core-client',
    'packages/grader/src/evidence',
    'packages/rules/src/grading-model',
    'packages/lanes',
    'packages/pdf',
    'packages/grader',
    'packages/platform/src/settings',
  ],
  'apps/cli': ['admin', 'agreement', 'demo', 'migrate'].map((command) => `apps/cli/src/${command}`),
  'apps/cli/src/admin': [
    ...contracts,
    'packages/core-client',
    'packages/grader/src/evidence',
    'packages/grader',
    'packages/platform/src/installation',
    'packages/rules',
    'packages/platform/src/settings',
    'packages/platform/src/telemetry',
  ],
  'apps/cli/src/agreement': [
    'contracts/rest',
    'packages/rules',
    'packages/guide',
    'packages/rules/src/grading-model',
    'packages/grader',
    'packages/platform/src/settings',
    'packages/platform/src/telemetry',
  ],
  'apps/cli/src/migrate': ['packages/database', 'packages/platform/src/settings'],
  'apps/cli/src/demo': [
    'contracts/rest',
    'packages/platform/src/installation',
    'packages/platform/src/settings',
    'packages/platform/src/telemetry',
  ],
  'apps/standalone': 'anything',
  tests: 'anything',
};

/** Tests beside the code may start real services, besides what their package imports. */
export const allowedToTests: readonly string[] = ['packages/embedded', 'tests/services'];

export const typesOnly: readonly (readonly [from: string, to: string])[] = [
  ['packages/core-client', 'apps/core'],
];

/** Entries of the REST contract without HTTP: core and the packages below it may import only these. */
export const schemaEntries: readonly string[] = [
  './schemas',
  './schemas/account',
  './schemas/primitives',
  './errors',
  './field-errors',
  './list-lengths',
  './exact-json',
  './grading-failures',
  './upload-rejections',
];

export const restSpeakers: readonly string[] = [
  'apps/facade',
  'apps/cli/src/demo',
  'apps/standalone',
  'tests',
];

/** External packages that a folder must not import. */
export const forbidden: Readonly<Record<string, RegExp>> = {
  'apps/core': /^(?:express|@ts-rest\/.*)$/,
};

/** Folders that may read `process.env`, besides tests and `*.config.ts`. */
export const environmentReaders: readonly string[] = [
  'packages/platform/src/settings',
  'tests/services',
  'tests',
];

export const EMPTY_NAME = /^(?:utils?|helpers?|common|misc|shared)$/i;
