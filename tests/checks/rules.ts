/**
 * Allowed imports by folder (docs/architecture.md#layout). A folder that is not listed may import no other folder of
 * the repository, so a new package needs a decision.
 */
const contracts = ['contracts/rest', 'contracts/jobs'];
const adapter = [...contracts, 'packages/rules', 'packages/telemetry'];

export const allowed: Readonly<Record<string, readonly string[] | 'anything'>> = {
  'contracts/rest': [],
  'contracts/jobs': [],
  'packages/rules': ['contracts/rest'],
  'packages/grading-model': ['contracts/rest'],
  'packages/guide': ['packages/rules'],
  'packages/telemetry': [],
  'packages/settings': ['contracts/jobs'],
  'packages/installation': [],
  'packages/signed-actor': contracts,
  'packages/backoff': [],
  'packages/client-limits': [],
  'packages/turns': [],
  'packages/database': [...adapter, 'packages/backoff', 'packages/turns'],
  'packages/lanes': [...adapter, 'packages/backoff'],
  'packages/object-store': adapter,
  'packages/pdf': adapter,
  'packages/grader': [...adapter, 'packages/backoff', 'packages/grading-model', 'packages/turns'],
  'packages/evidence': [
    ...contracts,
    'packages/rules',
    'packages/grading-model',
    'packages/guide',
    'packages/grader',
  ],
  'packages/embedded': ['packages/telemetry'],
  'packages/core-client': [...contracts, 'packages/signed-actor', 'packages/telemetry', 'apps/core'],
  // The bundler knows only the paths of the programs that it bundles.
  'packages/bundle': [],
  'packages/test-services': [
    ...adapter,
    'packages/embedded',
    'packages/database',
    'packages/lanes',
    'packages/object-store',
  ],
  'apps/core': [
    ...adapter,
    'packages/backoff',
    'packages/client-limits',
    'packages/grading-model',
    'packages/guide',
    'packages/database',
    'packages/lanes',
    'packages/object-store',
    'packages/settings',
    'packages/signed-actor',
    'packages/turns',
  ],
  'apps/facade': [
    ...adapter,
    'packages/client-limits',
    'packages/core-client',
    'packages/lanes',
    'packages/settings',
    'packages/turns',
  ],
  'apps/desk': [
    ...adapter,
    'packages/client-limits',
    'packages/core-client',
    'packages/lanes',
    'packages/settings',
    'packages/signed-actor',
  ],
  'apps/worker': [
    ...adapter,
    'packages/backoff',
    'packages/core-client',
    'packages/evidence',
    'packages/grading-model',
    'packages/lanes',
    'packages/pdf',
    'packages/grader',
    'packages/settings',
  ],
  'apps/admin': [
    ...contracts,
    'packages/core-client',
    'packages/evidence',
    'packages/grader',
    'packages/installation',
    'packages/rules',
    'packages/settings',
    'packages/telemetry',
  ],
  'apps/agreement': [
    'contracts/rest',
    'packages/rules',
    'packages/guide',
    'packages/grading-model',
    'packages/grader',
    'packages/settings',
    'packages/telemetry',
  ],
  'apps/migrate': ['packages/database', 'packages/settings'],
  'apps/demo': ['contracts/rest', 'packages/installation', 'packages/settings', 'packages/telemetry'],
  'apps/standalone': 'anything',
  tests: 'anything',
};

/** Tests beside the code may start real services, besides what their package imports. */
export const allowedToTests: readonly string[] = ['packages/embedded', 'packages/test-services'];

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

export const restSpeakers: readonly string[] = ['apps/facade', 'apps/demo', 'apps/standalone', 'tests'];

/** External packages that a folder must not import. */
export const forbidden: Readonly<Record<string, RegExp>> = {
  'apps/core': /^(?:express|@ts-rest\/.*)$/,
};

/** Folders that may read `process.env`, besides tests and `*.config.ts`. */
export const environmentReaders: readonly string[] = ['packages/settings', 'packages/test-services', 'tests'];

export const EMPTY_NAME = /^(?:utils?|helpers?|common|misc|shared)$/i;
