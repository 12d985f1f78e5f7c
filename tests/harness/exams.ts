import type { Exam } from '@evaluation/rest-contract/schemas';
import { expect } from 'vitest';
import type { ErrorBody } from './api.ts';
import { expectRefused, type Tenant } from './tenant.ts';

/** `POST /exams` of one tenant: expects acceptance, or a refusal that changes nothing. */
interface ExamsOf {
  created(body: object): Promise<Exam>;
  refused(body: object, status: number, code: string): Promise<ErrorBody['error']>;
}

export const examsOf = (tenant: Tenant): ExamsOf => ({
  created: async (body) => {
    const { status, body: exam } = await tenant.api.post<Exam>('/exams', body);
    expect({ status, exam }).toMatchObject({ status: 201 });
    return exam;
  },
  refused: (body, status, code) => expectRefused(tenant, () => tenant.api.post('/exams', body), status, code),
});
