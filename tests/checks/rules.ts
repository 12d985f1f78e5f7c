/**
 * Who may import whom (docs/architecture.md#layout). A folder that is missing here may import nothing of ours, so that a new
 * package has to be thought about.
 */
const contracts = ['contracts/rest', 'contracts/jobs'];
const adapter = [...contracts, 'packages/rules', 'packages/telemetry'];

export const allowed: Readonly<Record<string, readonly string[] | 'anything'>> = {
  'contracts/rest': [],
  'contracts/jobs': [],
  'packages/rules': ['contracts/rest'],
  'packages/grading-model': ['contracts/rest'],
  'packages/telemetry': [],
  'packages/settings': ['contracts/jobs'],
  'packages/installation': [],
  'packages/signed-actor': contracts,
  'packages/backoff': [],
  'packages/turns': [],
  'packages/database': [...adapter, 'packages/backoff', 'packages/turns'],
  'packages/lanes': [...adapter, 'packages/backoff'],
  'packages/object-store': adapter,
  'packages/pdf': adapter,
  'packages/grader': [...adapter, 'packages/grading-model', 'packages/turns'],
  'packages/evidence': [...contracts, 'packages/rules', 'packages/grading-model', 'packages/grader'],
  'packages/embedded': ['packages/telemetry'],
  'packages/core-client': [...contracts, 'packages/signed-actor', 'packages/telemetry', 'apps/core'],
  // Of the programs it bundles it knows the paths only.
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
    'packages/grading-model',
    'packages/database',
    'packages/lanes',
    'packages/object-store',
    'packages/settings',
    'packages/signed-actor',
    'packages/turns',
  ],
  'apps/facade': [
    ...adapter,
    'packages/core-client',
    'packages/lanes',
    'packages/settings',
    'packages/signed-actor',
    'packages/turns',
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

/** A test beside the code may start real services besides what its package imports. */
export const allowedToTests: readonly string[] = ['packages/embedded', 'packages/test-services'];

/** Imports that only types may cross. */
export const typesOnly: readonly (readonly [from: string, to: string])[] = [
  ['packages/core-client', 'apps/core'],
];

/** The parts of the REST contract that are no HTTP: all that core and what lies below it may see of it. */
export const schemaEntries: readonly string[] = [
  './schemas',
  './errors',
  './field-errors',
  './list-lengths',
  './exact-json',
  './grading-failures',
  './upload-rejections',
];

/** Who speaks REST, and so may import the routes. */
export const restSpeakers: readonly string[] = ['apps/facade', 'apps/demo', 'apps/standalone', 'tests'];

/** Packages of others that a folder must not import. */
export const forbidden: Readonly<Record<string, RegExp>> = {
  'apps/core': /^(?:express|@ts-rest\/.*)$/,
};

/** Who may read `process.env`, besides tests and `*.config.ts`. */
export const environmentReaders: readonly string[] = ['packages/settings', 'packages/test-services', 'tests'];

/** Names that say nothing of what is inside. */
export const emptyName = /^(?:utils?|helpers?|common|misc|shared)$/i;
