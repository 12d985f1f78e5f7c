import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { apiClient, type ApiClient } from '../harness/api.ts';
import { plainPdf } from '../harness/pdfs.ts';
import type { TestService } from '../harness/service.ts';
import { gradeSubmission } from './gradeSubmission.ts';
import { stepsOf, type Step } from './page.ts';
import { expected, filled, type Names } from './placeholders.ts';

const run = promisify(execFile);

/** Runs the examples of a page in order, with an institute of its own, and compares each answer field by field. */
export const runPage = async (service: TestService, api: ApiClient, page: string, names: Names) => {
  let answer: Answer | undefined;
  let output = '';
  for (const step of stepsOf(page)) {
    try {
      if (step.kind === 'worker') await gradeSubmission(service, filled(`<${step.submission}>`, names));
      else if (step.kind === 'command') output = await runCommand(step.command, api, names);
      else if (step.kind === 'output') compareBody(step.body, JSON.parse(output), names);
      else if (step.kind === 'request') answer = await send(step, api, names);
      else if (answer !== undefined) compare(step, answer, names);
    } catch (error) {
      throw new Error(`line ${step.line}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
};

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

const send = async (
  step: Extract<Step, { kind: 'request' }>,
  api: ApiClient,
  names: Names,
): Promise<Answer> => {
  const headers = new Headers(step.headers.map(([name, value]) => [name, filled(value, names)]));
  const response = step.path.startsWith('/v1')
    ? await sendToService(step, headers, api, names)
    : // An upload: the PDF is made in the size that the page announced.
      await fetch(filled(step.path, names), {
        method: step.method,
        headers,
        body: Uint8Array.from(plainPdf(2, Number(headers.get('content-length')))),
      });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const sendToService = (
  step: Extract<Step, { kind: 'request' }>,
  headers: Headers,
  api: ApiClient,
  names: Names,
): Promise<Response> => {
  const client = apiClient(api.baseUrl, headers.get('x-api-key') ?? api.apiKey);
  headers.delete('x-api-key');
  if (step.body !== '' && !headers.has('content-type')) headers.set('content-type', 'application/json');
  return client.send(filled(step.path.slice('/v1'.length), names), {
    method: step.method,
    headers,
    ...(step.body === '' ? {} : { body: filled(step.body, names) }),
  });
};

const compare = (step: Extract<Step, { kind: 'response' }>, answer: Answer, names: Names): void => {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: step.status });
  for (const [name, value] of step.headers) {
    const came = answer.headers.get(name);
    expect([name, came]).toEqual([name, expected(value, came, names)]);
  }
  if (step.body.startsWith('{')) compareBody(step.body, JSON.parse(answer.text), names);
};

const compareBody = (example: string, actual: unknown, names: Names): void => {
  expect(actual).toEqual(expected(JSON.parse(example), actual, names));
};

/** Runs a shell with the page's names in variables: `<exam_id>` is `$EXAM_ID`. */
const runCommand = async (command: string, api: ApiClient, names: Names): Promise<string> => {
  const variables = Object.fromEntries([...names].map(([name, value]) => [name.toUpperCase(), value]));
  const { stdout } = await run('sh', ['-ec', command], {
    env: { ...process.env, ...variables, BASE: api.baseUrl, KEY: api.apiKey },
  });
  return stdout;
};
