import { expect } from 'vitest';
import type { Account, Submission, SubmissionList } from '@evaluation/rest-contract/schemas';
import { apiClient, type Answer, type ApiClient, type ErrorBody } from './api.ts';
import { startService, type TestService } from './service.ts';

/** An institute for one test: no other test uses its credits, quota or feed. */
export interface Tenant {
  api: ApiClient;
  instituteId: string;
  credits(): Promise<{ balance: number; credit_limit: number; committed: number }>;
  /** Changes the contract, as an operator does. */
  edit(change: object): Promise<unknown>;
  /** The same institute with a new key. */
  withKey(options?: object): Promise<Tenant & { keyId: string }>;
}

export const startIdleService = (extra: Record<string, string> = {}): Promise<TestService> =>
  startService({ COPY_CONCURRENCY: '0', TYPED_CONCURRENCY: '0', DRAW_CONCURRENCY: '0', ...extra });

export const newTenant = async (
  service: TestService,
  options: Parameters<TestService['newInstitute']>[0] = {},
): Promise<Tenant> => {
  const { instituteId, api } = await service.newInstitute(options);
  return tenantOf(service, instituteId, api);
};

const tenantOf = (service: TestService, instituteId: string, api: ApiClient): Tenant => {
  const { control } = service.control.as({});
  return {
    api,
    instituteId,
    credits: async () => (await control.showInstitute.query({ institute_id: instituteId })).credits,
    edit: (change) => control.editInstitute.mutate({ institute_id: instituteId, ...change }),
    withKey: async (key = {}) => {
      const { api_key, key_id } = await control.createKey.mutate({ institute_id: instituteId, ...key });
      return { ...tenantOf(service, instituteId, apiClient(service.baseUrl, api_key)), keyId: key_id };
    },
  };
};

/** A submission without the fields computed on read: place in the queue and estimates. */
export const stored = ({ queue: _queue, progress, ...rest }: Submission): object => ({
  ...rest,
  questions_done: progress?.questions_done ?? null,
});

export const wholeFeed = async (api: ApiClient, query = 'limit=200'): Promise<Submission[]> => {
  const found: Submission[] = [];
  for (let cursor = ''; ;) {
    const page = await api.get<SubmissionList>(`/submissions?${query}${cursor}`);
    found.push(...page.body.data);
    if (!page.body.has_more) return found;
    cursor = `&cursor=${encodeURIComponent(page.body.next_cursor ?? '')}`;
  }
};

/** Everything of an institute that a request could change: quota, credits, submissions. */
export const tenantState = async (tenant: Tenant): Promise<object> => ({
  used: (await tenant.api.get<Account>('/me')).body.quota_used_today,
  credits: await tenant.credits(),
  feed: (await wholeFeed(tenant.api)).map(stored),
});

/** Checks the status of an answer. @returns its body */
export const expectOk = <T>({ status, body }: Answer<T>, expected = 200): T => {
  expect({ status, body }).toMatchObject({ status: expected });
  return body;
};

/** Checks an error answer by docs/api/conventions.md#errors: the envelope, and its request id in the header too. */
export const expectError = (answer: Answer<ErrorBody>, status: number, code: string): ErrorBody['error'] => {
  expect({ status: answer.status, code: answer.body.error?.code, body: answer.body }).toMatchObject({
    status,
    code,
  });
  const { error } = answer.body;
  expect(error.message).not.toBe('');
  expect(error.request_id).toBe(answer.headers.get('x-request-id'));
  expect(Object.keys(answer.body)).toEqual(['error']);
  return error;
};

/** Makes a request, checks that it is refused, and that it changed nothing. @returns the error */
export const expectRefused = async (
  tenant: Tenant,
  call: () => Promise<Answer<ErrorBody>>,
  status: number,
  code: string,
): Promise<ErrorBody['error']> => {
  const before = await tenantState(tenant);
  const error = expectError(await call(), status, code);
  expect(await tenantState(tenant)).toEqual(before);
  return error;
};

/** `expectRefused` for a POST. */
export const expectPostRefused = (
  tenant: Tenant,
  status: number,
  code: string,
  path: string,
  body?: unknown,
): Promise<ErrorBody['error']> => expectRefused(tenant, () => tenant.api.post(path, body), status, code);

/** `field: code` of each problem, in the order listed. */
export const problemsIn = (error: ErrorBody['error']): string[] =>
  (error.details?.errors ?? []).map(({ field, code }) => `${field}: ${code}`);

/** Checks that an answer is 422 `validation_failed`. @returns its problems, as `problemsIn` */
export const expectInvalid = (answer: Answer<ErrorBody>): string[] =>
  problemsIn(expectError(answer, 422, 'validation_failed'));
