import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './runProgram.ts';

/** The version that docs/api/clients.md names. */
const GENERATOR = 'openapi-python-client==0.29.1';

/** Makes a client of openapi-python-client in a virtual environment of its own. @returns what the program printed */
export const livePython = async (
  folder: string,
  service: { baseUrl: string; apiKey: string },
  copy: string,
): Promise<string> => {
  const environment = join(folder, 'environment');
  const inEnvironment = (name: string): string => join(environment, 'bin', name);
  await runProgram('python3', ['-m', 'venv', environment], folder);
  await runProgram(
    inEnvironment('pip'),
    ['install', '--quiet', '--disable-pip-version-check', GENERATOR],
    folder,
  );
  await runProgram(
    inEnvironment('openapi-python-client'),
    ['generate', '--url', `${service.baseUrl}/openapi.json`, '--meta', 'none', '--output-path', 'client'],
    folder,
  );
  await cp(join(import.meta.dirname, 'life.py'), join(folder, 'life.py'));
  return runProgram(inEnvironment('python'), ['life.py', service.baseUrl, service.apiKey, copy], folder);
};
