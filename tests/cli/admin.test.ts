import { randomUUID } from 'node:crypto';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, createServer as createProxy } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findInstallation, openInstallation, writeInstallation } from '@evaluation/platform/installation';
import type { Account } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { apiClient, createExam, type ErrorBody } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { eventually } from '../harness/ledger.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { startIdleService } from '../harness/tenant.ts';
import { runProgram, type Outcome } from './program.ts';
import { openTerminal } from './terminal.ts';
import { listenHere } from '../harness/listenHere.ts';
import { freePort } from '../harness/processes.ts';

const service = closedAfterTests(await startIdleService());
/** DATA_DIR alone, as on a machine that runs `npm start`. */
const here = { DATA_DIR: service.environment['DATA_DIR'] ?? '' };
const terminal = closedAfterTests(await openTerminal('admin', here));

const admin = (...args: string[]): Promise<Outcome> => terminal.run(args);

const answerOf = (outcome: Outcome): Answer => {
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(outcome.stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(outcome.stdout) as Answer;
};

interface Answer {
  institute_id: string;
  key_id: string;
  api_key: string;
  revoked_at: string;
  credits: { balance: number };
  keys: object[];
  staff: object[];
}

const errorOf = (outcome: Outcome): { code: string; message: string } => {
  expect(outcome.stdout).toBe('');
  expect(outcome.stderr).toMatch(/^\{.*\}\n$/);
  return (JSON.parse(outcome.stderr) as { error: { code: string; message: string } }).error;
};

const words = (options: string): string[] => options.split(' ').filter((word) => word !== '');

const newInstitute = async (options = ''): Promise<string> => {
  const named = ['institute', 'create', '--name', 'Riverside School', '--credits', '500', '--json'];
  return answerOf(await admin(...named, ...words(options))).institute_id;
};

const newKey = async (institute: string, options: string): Promise<Answer> =>
  answerOf(await admin('key', 'create', '--institute', institute, '--json', ...words(options)));

const show = async (institute: string): Promise<Answer> =>
  answerOf(await admin('institute', 'show', '--institute', institute, '--json'));

const me = <T>(apiKey: string) => apiClient(service.baseUrl, apiKey).get<T>('/me');

test('institute create stores every option', async () => {
  const institute = await newInstitute(
    '--credit-limit 20 --credits-per-page 0.25 --credits-per-answer 0 --daily-copy-quota 7',
  );
  expect(await show(institute)).toMatchObject({
    institute_id: institute,
    name: 'Riverside School',
    api_enabled: true,
    credits_per_page: 0.25,
    credits_per_answer: 0,
    daily_copy_quota: 7,
    credits: { balance: 500, credit_limit: 20, committed: 0 },
    keys: [],
  });
});

test('key create makes a key that works at once, with the requested scopes, tier and cap', async () => {
  const institute = await newInstitute();
  const key = await newKey(
    institute,
    '--scopes read,evaluation:finalize --rate-tier high --daily-copy-cap 3 --expires-at 2100-01-01T00:00:00Z',
  );
  expect(Object.keys(key).sort()).toEqual(['api_key', 'key_id']);
  const { status, body } = await me<Account>(key.api_key);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    institute: { id: institute, name: 'Riverside School' },
    scopes: ['evaluation:read', 'evaluation:finalize'],
    rate_tier: 'high',
    daily_copy_cap: 3,
    daily_copy_quota: 2000,
  });
});

test('a revoked key answers 401, is shown as revoked, and can be revoked again', async () => {
  const institute = await newInstitute();
  const { key_id, api_key } = await newKey(institute, '--scopes read');
  expect((await me(api_key)).status).toBe(200);
  const first = answerOf(await admin('key', 'revoke', '--key', key_id, '--json'));
  expect(first.key_id).toBe(key_id);
  const refused = await me<ErrorBody>(api_key);
  expect([refused.status, refused.body.error.code]).toEqual([401, 'invalid_api_key']);
  expect((await show(institute)).keys).toMatchObject([{ key_id, revoked_at: first.revoked_at }]);
  expect(answerOf(await admin('key', 'revoke', '--key', key_id, '--json'))).toEqual(first);
});

test('an expired key answers 401, and an institute with its API disabled answers 403', async () => {
  const expired = await newKey(await newInstitute(), '--scopes read --expires-at 2020-01-01T00:00:00Z');
  expect((await me(expired.api_key)).status).toBe(401);
  const disabled = await newKey(await newInstitute('--api-disabled'), '--scopes read');
  const refused = await me<ErrorBody>(disabled.api_key);
  expect([refused.status, refused.body.error.code]).toEqual([403, 'product_not_enabled']);
});

test('credits grant adds to the balance', async () => {
  const institute = await newInstitute();
  const granted = await admin('credits', 'grant', '--institute', institute, '--amount', '12.5', '--json');
  expect(answerOf(granted)).toMatchObject({ institute_id: institute, balance: 512.5 });
  expect((await show(institute)).credits.balance).toBe(512.5);
});

const grantOf = (institute: string, amount: string, key: string): Promise<Outcome> =>
  admin(
    ...words(`credits grant --institute ${institute} --amount ${amount} --idempotency-key ${key} --json`),
  );

test('a grant with a key happens once, also when repeated at the same time, and refuses another amount', async () => {
  const institute = await newInstitute();
  const control = service.control.as({}).control;
  const same = { institute_id: institute, amount: 12.5, idempotency_key: 'invoice-4711' };
  const atOnce = await Promise.all(Array.from({ length: 5 }, () => control.grantCredits.mutate(same)));
  const granted = { institute_id: institute, balance: 512.5, idempotency_key: 'invoice-4711' };
  expect(atOnce).toEqual(atOnce.map(() => granted));
  await control.grantCredits.mutate({ institute_id: institute, amount: 1 });
  // The original answer, although the balance has changed since.
  expect(answerOf(await grantOf(institute, '12.5', 'invoice-4711'))).toEqual(granted);
  expect((await show(institute)).credits.balance).toBe(513.5);

  const other = await grantOf(institute, '13', 'invoice-4711');
  expect(other.code).toBe(1);
  expect(errorOf(other)).toMatchObject({ code: 'idempotency_key_reused' });
  expect(errorOf(other).message).toContain('used to grant 12.5 credits, so it cannot grant 13');
  expect((await show(institute)).credits.balance).toBe(513.5);
  // Keys of grants are unique per institute.
  const neighbour = await newInstitute();
  expect(answerOf(await grantOf(neighbour, '12.5', 'invoice-4711'))).toMatchObject({ balance: 512.5 });
});

test('a grant whose answer is lost prints a command that is safe to repeat, and repeating it grants no more credits', async () => {
  const institute = await newInstitute();
  // Core commits and its answer gets lost, as if core were killed between commit and answer.
  const installation = await findInstallation(here.DATA_DIR);
  const core = Number(new URL(installation?.core_url ?? '').port);
  const proxy = createProxy((near) => {
    const far = connect(core, '127.0.0.1');
    near.on('error', () => {});
    far.on('error', () => {});
    near.pipe(far);
    far.once('data', () => {
      near.destroy();
      far.destroy();
    });
  });
  const port = await listenHere(proxy);
  const lost = await runProgram('admin', words(`credits grant --institute ${institute} --amount 5`), {
    CORE_URL: `http://127.0.0.1:${port}`,
    CORE_CONTROL_TOKEN: installation?.tokens.control ?? '',
  });
  proxy.close();
  expect(lost.code).toBe(1);
  const [, command = ''] = /npm run --silent admin -- (credits grant .*)$/m.exec(lost.stderr) ?? [];
  expect(command).toMatch(/--amount 5 --idempotency-key [\w-]{36}$/);
  expect((await show(institute)).credits.balance).toBe(505);
  expect((await admin(...words(command))).stdout).toContain('the balance is 505');
  expect((await show(institute)).credits.balance).toBe(505);
});

test('a price or a grant beyond the column’s range is refused by name, and a price set before ends in 402', async () => {
  const institute = await newInstitute();
  for (const option of ['--credits-per-page', '--credits-per-answer']) {
    const refused = await admin('institute', 'set', '--institute', institute, option, '10000001', '--json');
    expect(refused.code).toBe(2);
    expect(errorOf(refused).message).toContain(option);
    expect(errorOf(refused).message).toContain('at most 10000000');
  }
  for (let granted = 0; granted < 7; granted += 1)
    await admin('credits', 'grant', '--institute', institute, '--amount', '1000000000');
  const full = await admin('credits', 'grant', '--institute', institute, '--amount', '1000000000', '--json');
  expect(full.code).toBe(1);
  expect(errorOf(full).message).toContain('amount: the balance would be 8000000500');

  await behind(service.database, 'update institutes set credits_per_answer = 9000000000 where id = $1', [
    institute,
  ]);
  const { api_key } = await service.control.as({}).control.createKey.mutate({ institute_id: institute });
  const api = apiClient(service.baseUrl, api_key);
  const exam = await createExam(api, typedExam([longAnswer('1'), longAnswer('2')]));
  const answers = ['1', '2'].map((question_label) => ({ question_label, text: 'Light becomes sugar.' }));
  const refused = await api.post(`/exams/${exam.id}/submissions`, {
    candidate: { external_id: 'one' },
    answers,
  });
  expect(refused).toMatchObject({ status: 402, body: { error: { code: 'insufficient_credits' } } });
  expect(await api.post('/credits/quote', { typed_answers: 2 })).toMatchObject({
    status: 200,
    body: { total: 18_000_000_000, sufficient: false },
  });
});

test('institute set changes only the given fields', async () => {
  const institute = await newInstitute('--credit-limit 20 --credits-per-page 0.25 --credits-per-answer 2');
  const set = async (...args: string[]) =>
    answerOf(await admin('institute', 'set', '--institute', institute, '--json', ...args));
  const before = await show(institute);

  const named = { ...before, name: 'Lake School' };
  expect(await set('--name', 'Lake School')).toEqual(named);
  const priced = {
    ...named,
    credits_per_page: null,
    credits_per_answer: 0.5,
    daily_copy_quota: 0,
    credits: { balance: 500, credit_limit: 7.5, committed: 0 },
  };
  expect(
    await set(
      ...words(
        '--credits-per-page standard --credits-per-answer 0.5 --daily-copy-quota 0 --credit-limit 7.5',
      ),
    ),
  ).toEqual(priced);
  expect(await show(institute)).toEqual(priced);
});

test('a disabled institute is refused, and works again once it is enabled', async () => {
  const institute = await newInstitute();
  const { api_key } = await newKey(institute, '--scopes read');
  const disabled = answerOf(await admin('institute', 'disable', '--institute', institute, '--json'));
  expect(disabled).toEqual({ ...(await show(institute)), api_enabled: false });
  const refused = await me<ErrorBody>(api_key);
  expect([refused.status, refused.body.error.code]).toEqual([403, 'product_not_enabled']);
  const enabled = await admin('institute', 'enable', '--institute', institute);
  expect(enabled).toMatchObject({ code: 0, stderr: '' });
  expect(enabled.stdout).toContain('The API is enabled for Riverside School');
  expect((await me(api_key)).status).toBe(200);
});

test('key set changes only the given fields; a revoked key cannot be changed', async () => {
  const institute = await newInstitute();
  const { key_id, api_key } = await newKey(
    institute,
    '--scopes read --daily-copy-cap 5 --expires-at 2100-01-01T00:00:00Z',
  );
  const set = (options: string) => admin('key', 'set', '--key', key_id, '--json', ...words(options));
  const [before] = (await show(institute)).keys;
  const widened = { ...before, scopes: ['evaluation:read', 'evaluation:review'], rate_tier: 'high' };
  expect(answerOf(await set('--scopes read,review --rate-tier high'))).toEqual(widened);
  const freed = { ...widened, daily_copy_cap: null, expires_at: null };
  expect(answerOf(await set('--daily-copy-cap none --expires-at never'))).toEqual(freed);
  expect((await me<Account>(api_key)).body).toMatchObject({
    scopes: ['evaluation:read', 'evaluation:review'],
    rate_tier: 'high',
    daily_copy_cap: null,
  });
  const lines = await admin('key', 'set', '--key', key_id, '--daily-copy-cap', '2');
  expect(lines.stdout).toMatch(
    new RegExp(
      `^${key_id}  …${api_key.slice(-4)}  read,review  high  at most 2 copies a day  (?:never|last) used`,
    ),
  );
  expect(lines.stdout).not.toContain(api_key);

  await admin('key', 'revoke', '--key', key_id);
  expect(errorOf(await set('--rate-tier standard'))).toMatchObject({ code: 'conflict' });
  expect((await show(institute)).keys).toMatchObject([{ rate_tier: 'high', daily_copy_cap: 2 }]);
});

test('institute show prints the last use of the keys', async () => {
  const institute = await newInstitute();
  const { key_id, api_key } = await newKey(institute, '--scopes read');
  const shown = async () => (await admin('institute', 'show', '--institute', institute)).stdout;
  expect(await shown()).toMatch(new RegExp(`${key_id} .* never used\n`));
  expect((await me(api_key)).status).toBe(200);
  const used = new RegExp(`${key_id} .* last used 20\\S+Z\n`);
  await eventually('its use is written down', async () => used.test(await shown()));
  expect((await show(institute)).keys).toMatchObject([{ key_id, last_used_at: expect.stringMatching(/Z$/) }]);
});

test('without --json the output is lines of text, with an API key only at its creation', async () => {
  const created = await admin('institute', 'create', '--name', 'Hill School', '--credits', '5');
  const institute = /Institute created: (\S+)/.exec(created.stdout)?.[1] ?? '';
  const key = await admin('key', 'create', '--institute', institute, '--scopes', 'read,write');
  const apiKey = /API key: +(\S+)/.exec(key.stdout)?.[1] ?? '';
  const keyId = /Key id: +(\S+)/.exec(key.stdout)?.[1] ?? '';
  expect((await me(apiKey)).status).toBe(200);

  const granted = await admin('credits', 'grant', '--institute', institute, '--amount', '10');
  expect(granted.stdout).toContain('the balance is 15');
  expect((await admin('key', 'revoke', '--key', keyId)).stdout).toContain(`Key ${keyId} is revoked`);
  const shown = await admin('institute', 'show', '--institute', institute);
  expect(shown.stdout).toContain('Hill School');
  expect(shown.stdout).toMatch(/credits +15 /);
  expect(shown.stdout).toMatch(new RegExp(`${keyId}  …${apiKey.slice(-4)}  read,write  standard  REVOKED`));
  expect(shown.stdout).not.toContain(apiKey);
});

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
