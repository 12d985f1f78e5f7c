import { setTimeout as wait } from 'node:timers/promises';
import type { Exam, Result, Submission, UploadsCreated } from '@evaluation/rest-contract/schemas';

/** Status, headers and body of a response, as an institute's backend gets them over HTTP. */
export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export interface ErrorBody {
  error: {
    code: string;
    message: string;
    request_id: string;
    details?: { errors?: { field: string; code: string }[] } & Record<string, unknown>;
  };
}

export interface ApiClient {
  baseUrl: string;
  apiKey: string;
  get<T = ErrorBody>(path: string): Promise<Answer<T>>;
  post<T = ErrorBody>(path: string, body?: unknown): Promise<Answer<T>>;
  patch<T = ErrorBody>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  delete<T = ErrorBody>(path: string): Promise<Answer<T>>;
  send(path: string, init: RequestInit): Promise<Response>;
  download(path: string): Promise<Uint8Array>;
}

export const apiClient = (baseUrl: string, apiKey: string): ApiClient => {
  const send = (path: string, init: RequestInit): Promise<Response> =>
    fetch(`${baseUrl}${path}`, {
      ...init,
      headers: { 'x-api-key': apiKey, ...Object.fromEntries(new Headers(init.headers)) },
    });
  return {
    baseUrl,
    apiKey,
    send,
    get: async (path) => answerOf(await send(path, { method: 'GET' })),
    post: async (path, body) =>
      answerOf(
        await send(
          path,
          body === undefined
            ? { method: 'POST' }
            : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
        ),
      ),
    patch: async (path, body, more = {}) =>
      answerOf(
        await send(path, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json', ...more },
          body: JSON.stringify(body),
        }),
      ),
    delete: async (path) => answerOf(await send(path, { method: 'DELETE' })),
    download: async (path) => new Uint8Array(await (await send(path, { method: 'GET' })).arrayBuffer()),
  };
};

/** Reads a response of `ApiClient.send` or `fetch`. @throws Error with status and text of a body that is not JSON */
export const answerOf = async <T = ErrorBody>(response: Response): Promise<Answer<T>> => ({
  status: response.status,
  headers: response.headers,
  // Unchecked: the test compares the fields that it reads.
  body: (await jsonOf(response)) as T,
});

const jsonOf = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${response.url} answered ${response.status} without JSON: "${text.slice(0, 500)}"`, {
      cause: error,
    });
  }
};

/** Creates an exam. @throws Error with the answer, if the service refuses it */
export const createExam = async (api: ApiClient, exam: object): Promise<Exam> => {
  const { status, body } = await api.post<Exam>('/exams', { open: true, ...exam });
  if (status !== 201) throw new Error(`POST /exams was refused: ${JSON.stringify(body)}`);
  return body;
};

export const uploadCopy = async (api: ApiClient, pdf: Uint8Array): Promise<string> => {
  const { body } = await api.post<UploadsCreated>('/uploads', {
    files: [{ file_name: 'copy.pdf', content_type: 'application/pdf', size_bytes: pdf.byteLength }],
  });
  const upload = body.uploads[0];
  if (upload === undefined) throw new Error('no address to upload to');
  const put = await fetch(upload.upload_url, {
    method: 'PUT',
    headers: upload.headers,
    body: Uint8Array.from(pdf),
  });
  if (put.status !== 200) throw new Error(`the PUT answered ${put.status}`);
  return upload.id;
};

const LONGEST_CHECK_MS = 50_000;

/** Submits; repeats while the file is inspected, since the service waits for a limited time only. */
export const submit = async (api: ApiClient, examId: string, body: object): Promise<Submission> => {
  const deadline = performance.now() + LONGEST_CHECK_MS;
  for (;;) {
    const answer = await api.post<Submission>(`/exams/${examId}/submissions`, body);
    if (answer.status === 202) return answer.body;
    const isBeingChecked = answer.status === 409 && JSON.stringify(answer.body).includes('is not ready');
    if (!isBeingChecked || performance.now() > deadline)
      throw new Error(`POST /submissions was refused: ${JSON.stringify(answer.body)}`);
    // The service has usually waited already, so a short pause is enough.
    await wait(100);
  }
};

const OVER = new Set(['graded', 'partially_graded', 'failed', 'cancelled']);

/** Reads a submission until grading is over. `onReading` gets every submission read. */
export const untilOver = async (
  api: ApiClient,
  submissionId: string,
  onReading?: (submission: Submission) => void,
): Promise<Submission> => {
  // Without `onReading` the pauses grow: each request takes CPU from the grading.
  for (let pause = 25; ; pause = onReading === undefined ? Math.min(pause * 1.5, 500) : pause) {
    const { body } = await api.get<Submission>(`/submissions/${submissionId}`);
    onReading?.(body);
    if (OVER.has(body.status)) return body;
    await wait(pause);
  }
};

export const resultOf = async (api: ApiClient, submissionId: string, query = ''): Promise<Result> =>
  (await api.get<Result>(`/submissions/${submissionId}/result${query}`)).body;
