import type {
  CandidatesCreated,
  CandidatesRegistered,
  RegisteredCandidate,
  RegisteredCandidateList,
} from '@evaluation/rest-contract/schemas';
import type { Answer, ApiClient, ErrorBody } from './api.ts';
import { expectOk } from './tenant.ts';

export const newCandidates = async (api: ApiClient, ...externalIds: string[]): Promise<string[]> => {
  const { body } = await api.post<CandidatesCreated>('/candidates', {
    candidates: externalIds.map((external_id) => ({ external_id })),
  });
  return body.candidates.map(({ id }) => id);
};

export const register = async (api: ApiClient, examId: string, body: object): Promise<CandidatesRegistered> =>
  expectOk(await api.post<CandidatesRegistered>(`/exams/${examId}/candidates`, body));

export const unregister = <T = ErrorBody>(
  api: ApiClient,
  examId: string,
  candidateId: string,
): Promise<Answer<T>> => api.delete<T>(`/exams/${examId}/candidates/${candidateId}`);

export const listRegistered = async (
  api: ApiClient,
  examId: string,
  query = 'limit=200',
): Promise<RegisteredCandidateList> =>
  expectOk(await api.get<RegisteredCandidateList>(`/exams/${examId}/candidates?${query}`));

/** A registered candidate of an exam with at most 200 candidates. */
export const registered = async (
  api: ApiClient,
  examId: string,
  externalId: string,
): Promise<RegisteredCandidate> => {
  const { data } = await listRegistered(api, examId);
  const row = data.find(({ external_id }) => external_id === externalId);
  if (row === undefined) throw new Error(`${externalId} is not registered`);
  return row;
};
