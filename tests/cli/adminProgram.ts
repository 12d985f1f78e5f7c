import { expect } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { apiClient } from '../harness/api.ts';
import { startIdleService } from '../harness/tenant.ts';
import type { Outcome } from './program.ts';
import { openTerminal } from './terminal.ts';

export const answerOf = (outcome: Outcome): Answer => {
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

export const errorOf = (outcome: Outcome): { code: string; message: string } => {
  expect(outcome.stdout).toBe('');
  expect(outcome.stderr).toMatch(/^\{.*\}\n$/);
  return (JSON.parse(outcome.stderr) as { error: { code: string; message: string } }).error;
};

export const words = (options: string): string[] => options.split(' ').filter((word) => word !== '');

/** A service, and the program `admin` as an operator runs it beside `npm start`. Call at the top of a test file. */
export const openAdmin = async () => {
  const service = closedAfterTests(await startIdleService());
  /** DATA_DIR alone, as on a machine that runs `npm start`. */
  const here = { DATA_DIR: service.environment['DATA_DIR'] ?? '' };
  const terminal = closedAfterTests(await openTerminal('admin', here));

  const admin = (...args: string[]): Promise<Outcome> => terminal.run(args);

  const newInstitute = async (options = ''): Promise<string> => {
    const named = ['institute', 'create', '--name', 'Riverside School', '--credits', '500', '--json'];
    return answerOf(await admin(...named, ...words(options))).institute_id;
  };

  const newKey = async (institute: string, options: string): Promise<Answer> =>
    answerOf(await admin('key', 'create', '--institute', institute, '--json', ...words(options)));

  const show = async (institute: string): Promise<Answer> =>
    answerOf(await admin('institute', 'show', '--institute', institute, '--json'));

  const me = <T>(apiKey: string) => apiClient(service.baseUrl, apiKey).get<T>('/me');
  return { service, here, admin, newInstitute, newKey, show, me };
};
