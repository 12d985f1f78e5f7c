/** Parts of the package `platform`. */
const platform = (...parts: string[]) => parts.map((part) => `packages/platform/src/${part}`);

/**
 * Allowed imports by folder (docs/architecture.md#layout). A folder that is not listed may import no other folder of
 * the repository, so a new package needs a decision.
 */
const contracts = ['contracts/rest', 'contracts/jobs'];
const adapter = [...contracts, 'packages/rules', ...platform('telemetry')];

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
  'packages/platform/src/http': platform('telemetry'),
  'packages/platform/src/client-limits': [],
  'packages/platform/src/turns': [],
  'packages/database': [...adapter, ...platform('backoff', 'turns')],
  'packages/lanes': [...adapter, ...platform('backoff')],
  'packages/object-store': adapter,
  'packages/pdf': adapter,
  'packages/reader': [],
  'packages/samples': [],
  'packages/grader': [
    ...adapter,
    'packages/rules/src/grading-model',
    'packages/reader',
    ...platform('backoff', 'turns'),
  ],
  'packages/grader/src/evidence': [
    ...contracts,
    'packages/rules',
    'packages/rules/src/grading-model',
    'packages/guide',
    'packages/grader',
  ],
  'packages/embedded': [...platform('telemetry')],
  'packages/core-client': [...contracts, 'apps/core', ...platform('signed-actor', 'telemetry')],
  // The bundler knows only the paths of the programs that it bundles.
  'tools/bundle': [],
  'tests/services': [
    ...adapter,
    'packages/embedded',
    'packages/database',
    'packages/lanes',
    'packages/object-store',
  ],
  'apps/core': [
    ...adapter,
    'packages/rules/src/grading-model',
    'packages/guide',
    'packages/database',
    'packages/lanes',
    'packages/object-store',
    ...platform('backoff', 'client-limits', 'settings', 'signed-actor', 'turns'),
  ],
  'apps/facade': [
    ...adapter,
    'packages/core-client',
    'packages/lanes',
    ...platform('client-limits', 'http', 'settings', 'turns'),
  ],
  'apps/desk': [
    'packages/samples',
    ...adapter,
    'packages/core-client',
    'packages/lanes',
    ...platform('client-limits', 'http', 'settings', 'signed-actor'),
  ],
  'apps/worker': [
    ...adapter,
    'packages/core-client',
    'packages/grader/src/evidence',
    'packages/rules/src/grading-model',
    'packages/lanes',
    'packages/pdf',
    'packages/grader',
    ...platform('backoff', 'settings'),
  ],
  'apps/cli': ['admin', 'agreement', 'demo', 'migrate'].map((command) => `apps/cli/src/${command}`),
  'apps/cli/src/admin': [
    ...contracts,
    'packages/core-client',
    'packages/grader/src/evidence',
    'packages/grader',
    'packages/rules',
    ...platform('installation', 'settings', 'telemetry'),
  ],
  'apps/cli/src/agreement': [
    'contracts/rest',
    'packages/rules',
    'packages/guide',
    'packages/rules/src/grading-model',
    'packages/grader',
    ...platform('settings', 'telemetry'),
  ],
  'apps/cli/src/migrate': ['packages/database', ...platform('settings')],
  'apps/cli/src/demo': ['contracts/rest', ...platform('installation', 'settings', 'telemetry')],
  'apps/standalone': 'anything',
  tests: 'anything',
  // Tools use the harness of the tests. No test uses a tool: the check of cycles refuses it.
  tools: 'anything',
};

/** Folders of a `src` from the top: a folder imports only folders after it. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  'apps/core/src': [
    'server',
    'marking',
    'personal-data',
    'submissions',
    'grading',
    'files',
    'exams',
    'people',
    'credits',
    'guides',
    'command',
  ],
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
  'tools',
];

/** External packages that a folder must not import. */
export const forbidden: Readonly<Record<string, RegExp>> = {
  'apps/core': /^(?:express|@ts-rest\/.*)$/,
};

/** Folders that may read `process.env`, besides tests and `*.config.ts`. */
export const environmentReaders: readonly string[] = ['packages/platform/src/settings', 'tests', 'tools'];

export const EMPTY_NAME = /^(?:utils?|helpers?|common|misc|shared)$/i;
