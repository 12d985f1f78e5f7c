import { randomUUID } from 'node:crypto';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openInstallation, writeInstallation } from '@evaluation/platform/installation';
import { runProgram } from './program.ts';
import { openTerminal } from './terminal.ts';
import { listenHere } from '../harness/listenHere.ts';
import { freePort } from '../harness/processes.ts';
import { answerOf, errorOf, words, openAdmin } from './adminProgram.ts';

const { service, here, admin, newInstitute } = await openAdmin();

const someId = randomUUID();
const keyFor = (institute: string, ...more: string[]) => ['key', 'create', '--institute', institute, ...more];
const withCredits = (amount: string, ...more: string[]) => [
  ...`institute create --name X --credits ${amount}`.split(' '),
  ...more,
];

const expectRefusal = async (
  args: string[],
  exitCode: number,
  code: 'invalid_arguments' | 'not_found',
  says: string,
): Promise<void> => {
  const [asJson, inWords] = await Promise.all([admin(...args, '--json'), admin(...args)]);
  expect(asJson.code).toBe(exitCode);
  const error = errorOf(asJson);
  expect(error.code).toBe(code);
  expect(error.message).toContain(says);

  expect(inWords).toMatchObject({ code: exitCode, stdout: '' });
  expect(inWords.stderr).toContain(says);
  expect(inWords.stderr).not.toContain('    at ');
};

test.each<[what: string, args: string[], says: string]>([
  ['a number that is none', withCredits('many'), '--credits'],
  ['a negative number', withCredits('-5'), 'from 0'],
  ['more decimals than are kept', withCredits('1.00001'), 'four decimals'],
  ['a quota that is no whole number', withCredits('1', '--daily-copy-quota', '1.5'), 'whole number'],
  ['a grant of nothing', words(`credits grant --institute ${someId} --amount 0`), 'More than 0'],
  ['an empty name', ['institute', 'create', '--name', ' ', '--credits', '1'], '--name'],
  ['an option that is missing', words('institute create --name X'), '--credits'],
  ['an option that does not exist', withCredits('1', '--free'), '--free'],
  ['a command that does not exist', words('institute drop'), 'drop'],
  ['no command', ['institute'], '--help'],
  ['an id that is none', keyFor('x', '--scopes', 'read'), 'id'],
  ['a scope that does not exist', keyFor(someId, '--scopes', 'read,admin'), "'admin'"],
  ['no scope at all', keyFor(someId, '--scopes', ''), 'scope'],
  ['a tier that does not exist', keyFor(someId, ...words('--scopes read --rate-tier x')), 'standard'],
  ['a date that is none', keyFor(someId, ...words('--scopes read --expires-at 2030-02-31T00:00:00Z')), 'UTC'],
  [
    'a time without its zone',
    keyFor(someId, ...words('--scopes read --expires-at 2030-01-01T00:00:00')),
    'UTC',
  ],
  ['nothing to set of an institute', words(`institute set --institute ${someId}`), '--help'],
  ['nothing to set of a key', words(`key set --key ${someId}`), '--help'],
  [
    'a price that is none',
    words(`institute set --institute ${someId} --credits-per-page free`),
    '--credits-per-page',
  ],
  ['a cap that is none', words(`key set --key ${someId} --daily-copy-cap -1`), 'whole number'],
  ['an expiry that is none', words(`key set --key ${someId} --expires-at soon`), 'UTC'],
])('%s is refused on stderr, in words and as JSON', (_what, args, says) =>
  expectRefusal(args, 2, 'invalid_arguments', says),
);

test.each<[what: string, command: string, says: string]>([
  ['setting an unknown institute', `institute set --institute ${someId} --name X`, 'no such institute'],
  ['disabling an unknown institute', `institute disable --institute ${someId}`, 'no such institute'],
  ['setting an unknown key', `key set --key ${someId} --rate-tier high`, 'no such key'],
  ['an unknown institute', `key create --institute ${someId} --scopes read`, 'no such institute'],
  ['credits for an unknown institute', `credits grant --institute ${someId} --amount 1`, 'no such institute'],
  ['showing an unknown institute', `institute show --institute ${someId}`, 'no such institute'],
  ['an unknown key', `key revoke --key ${someId}`, 'no such key'],
])('%s is refused on stderr, in words and as JSON', (_what, command, says) =>
  expectRefusal(words(command), 1, 'not_found', says),
);

test('a service that is not running is reported, and no data folder is made for it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'admin-'));
  try {
    const args = ['institute', 'show', '--institute', someId, '--json'];
    const nowhere = await runProgram('admin', args, { DATA_DIR: join(folder, 'none') });
    expect([nowhere.code, errorOf(nowhere).code]).toEqual([1, 'service_not_running']);
    await expect(access(join(folder, 'none'))).rejects.toThrow('ENOENT');

    const port = await freePort();
    const installation = await openInstallation(folder);
    await writeInstallation(folder, { ...installation, core_url: `http://127.0.0.1:${port}` });
    const stopped = await runProgram('admin', args, { DATA_DIR: folder });
    expect([stopped.code, errorOf(stopped).code]).toEqual([1, 'service_not_running']);
    expect(errorOf(stopped).message).toContain('npm start');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a connection that breaks before the answer is reported as an unknown outcome', async () => {
  const breaking = createServer((request) => request.socket.destroy());
  const port = await listenHere(breaking);
  try {
    const outcome = await runProgram('admin', [...withCredits('1'), '--json'], {
      CORE_URL: `http://127.0.0.1:${port}`,
      CORE_CONTROL_TOKEN: 'a token of some length',
    });
    expect([outcome.code, errorOf(outcome).code]).toEqual([1, 'service_unreachable']);
    expect(errorOf(outcome).message).toContain('not known');
  } finally {
    await new Promise((resolve) => breaking.close(resolve));
  }
});

test('CORE_URL and CORE_CONTROL_TOKEN select another core, which refuses a wrong token', async () => {
  const { tokens, core_url } = await openInstallation(service.environment['DATA_DIR'] ?? '');
  const args = [...withCredits('1'), '--json'];
  const right = await runProgram('admin', args, {
    DATA_DIR: '/nonexistent',
    CORE_URL: core_url ?? '',
    CORE_CONTROL_TOKEN: tokens.control,
  });
  expect(answerOf(right)).toHaveProperty('institute_id');
  const wrong = await runProgram('admin', args, {
    CORE_URL: core_url ?? '',
    CORE_CONTROL_TOKEN: tokens.grading,
  });
  expect([wrong.code, errorOf(wrong).code]).toEqual([1, 'control_token_refused']);
  expect(wrong.stderr).not.toContain(tokens.grading);
});

test('staff invite prints a link once, staff list shows the account, and staff disable and enable change it', async () => {
  const institute = await newInstitute();
  const email = `${randomUUID()}@Example.org`;
  const person = ['--institute', institute, '--email', email, '--name', 'Asha Rao', '--role', 'admin'];
  const invited = await admin('staff', 'invite', ...person);
  expect(invited).toMatchObject({ code: 0, stderr: '' });
  expect(invited.stdout).toMatch(/: \/invitation#[\w-]{43}\n/);
  expect(errorOf(await admin('staff', 'invite', ...person, '--json')).code).toBe('conflict');
  const list = async () => answerOf(await admin('staff', 'list', '--institute', institute, '--json')).staff;
  const stored = { email: email.toLowerCase(), name: 'Asha Rao', role: 'admin' };
  expect(await list()).toMatchObject([{ ...stored, state: 'invited' }]);
  await admin('staff', 'disable', '--email', email);
  expect(await list()).toMatchObject([{ state: 'disabled' }]);
  await admin('staff', 'enable', '--email', email);
  const reset = await admin('staff', 'reset', '--email', email);
  expect(reset.stdout).toMatch(/\/invitation#/);
  expect(errorOf(await admin('staff', 'disable', '--email', 'none@example.org', '--json')).code).toBe(
    'not_found',
  );
});

test('staff invite --password-stdin makes an account that can sign in at once, and prints no password', async () => {
  const institute = await newInstitute();
  const email = `${randomUUID()}@example.org`;
  const person = ['--institute', institute, '--email', email, '--name', 'Asha Rao', '--role', 'examiner'];
  const invite = (input: string) =>
    runProgram('admin', ['staff', 'invite', ...person, '--password-stdin', '--json'], here, input);
  expect(errorOf(await invite('')).code).toBe('invalid_arguments');
  expect(errorOf(await invite('short')).code).toBe('validation_failed');
  const invited = await invite('correct horse battery\n');
  expect(answerOf(invited)).toMatchObject({ staff: { state: 'active' }, link: null });
  expect(invited.stdout).not.toContain('horse');
});

test('the program exits with the exit code of its command and prints the command’s output', async () => {
  const institute = await newInstitute();
  for (const [code, ...args] of [
    [0, 'institute', 'show', '--institute', institute],
    [0, 'institute', 'show', '--institute', institute, '--json'],
    [1, 'institute', 'show', '--institute', someId],
    [2, 'institute', 'drop', '--json'],
    [0, 'key', '--help'],
  ] as const) {
    const outcome = await runProgram('admin', args, here);
    expect(outcome.code).toBe(code);
    expect(outcome).toEqual(await admin(...args));
  }
});

test('--help of each command prints a description and an example, without a service', async () => {
  const nowhere = await openTerminal('admin', {});
  onTestFinished(() => nowhere.close());
  for (const command of [
    'institute create',
    'institute show',
    'institute set',
    'institute enable',
    'institute disable',
    'key create',
    'key set',
    'key revoke',
    'credits grant',
    'staff invite',
    'staff list',
    'staff disable',
    'staff enable',
    'staff reset',
  ]) {
    const help = await nowhere.run([...command.split(' '), '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain(`Usage: npm run --silent admin -- ${command} [options]\n\n`);
    expect(help.stdout).toContain(`Example:\n  $ npm run --silent admin -- ${command} --`);
  }
});
