import { connect, createServer as createProxy } from 'node:net';
import { expect, test } from 'vitest';
import { findInstallation } from '@evaluation/platform/installation';
import type { Account } from '@evaluation/rest-contract/schemas';
import { apiClient, createExam, type ErrorBody } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { eventually } from '../harness/ledger.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { runProgram, type Outcome } from './program.ts';
import { listenHere } from '../harness/listenHere.ts';
import { answerOf, errorOf, words, openAdmin } from './adminProgram.ts';

const { service, here, admin, newInstitute, newKey, show, me } = await openAdmin();

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
