import type { Exam } from '@evaluation/rest-contract/schemas';
import type { ErrorBody } from './api.ts';
import { expectOk, expectRefused, type Tenant } from './tenant.ts';

/** `POST /exams` of one tenant: expects acceptance, or a refusal that changes nothing. */
interface ExamsOf {
  created(body: object): Promise<Exam>;
  refused(body: object, status: number, code: string): Promise<ErrorBody['error']>;
}

export const examsOf = (tenant: Tenant): ExamsOf => ({
  created: async (body) => {
    return expectOk(await tenant.api.post<Exam>('/exams', body), 201);
  },
  refused: (body, status, code) => expectRefused(tenant, () => tenant.api.post('/exams', body), status, code),
});
