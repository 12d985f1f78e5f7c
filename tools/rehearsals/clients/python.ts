import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { argumentsOf, type Given } from './life.ts';
import { runProgram } from './runProgram.ts';

/** The version that docs/api/clients.md names. */
const VERSION = '0.29.1';

interface PythonEnvironment {
  run(program: string, ...args: string[]): Promise<string>;
}

/** A virtual environment in `folder` with these packages. */
export const newPythonEnvironment = async (
  folder: string,
  ...packages: readonly string[]
): Promise<PythonEnvironment> => {
  const environment = join(folder, 'environment');
  const run: PythonEnvironment['run'] = (program, ...args) =>
    runProgram(join(environment, 'bin', program), args, folder);
  await runProgram('python3', ['-m', 'venv', environment], folder);
  await run('pip', 'install', '--quiet', '--disable-pip-version-check', ...packages);
  return { run };
};

/** Runs `NAME/life.py` beside the generated package `evaluation`. @returns what it printed */
export const runLifeInPython = async (
  python: PythonEnvironment,
  folder: string,
  name: string,
  given: Given,
): Promise<string> => {
  await cp(join(import.meta.dirname, name, 'life.py'), join(folder, 'life.py'));
  return python.run('python', 'life.py', ...argumentsOf(given));
};

export const fromOpenApiPythonClient = {
  name: 'openapi-python-client',
  needs: ['python3'],
  live: async (folder: string, given: Given): Promise<string> => {
    const python = await newPythonEnvironment(folder, `openapi-python-client==${VERSION}`);
    const url = `${given.baseUrl}/openapi.json`;
    const output = ['--meta', 'none', '--output-path', 'evaluation'];
    await python.run('openapi-python-client', 'generate', '--url', url, ...output);
    return runLifeInPython(python, folder, 'openapi-python-client', given);
  },
};
