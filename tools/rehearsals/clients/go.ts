import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argumentsOf, type Given } from './life.ts';
import { runProgram } from './runProgram.ts';

/** Compiles and runs `NAME/main.go` beside the generated package `evaluation`. @returns what it printed */
export const runLifeInGo = async (folder: string, name: string, given: Given): Promise<string> => {
  await cp(join(import.meta.dirname, name, 'main.go'), join(folder, 'main.go'));
  await writeFile(join(folder, 'go.mod'), 'module life\n\ngo 1.23\n');
  // -mod=mod adds the modules that the generated package imports.
  return runProgram('go', ['run', '-mod=mod', '.', ...argumentsOf(given)], folder);
};

const document30 = async (folder: string, given: Given): Promise<void> => {
  const response = await fetch(`${given.baseUrl}/openapi-3.0.json`);
  await writeFile(join(folder, 'openapi.json'), await response.text());
};

/** The versions that docs/api/clients.md names. */
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

export const fromOapiCodegen = {
  name: 'oapi-codegen',
  needs: ['go'],
  live: async (folder: string, given: Given): Promise<string> => {
    await document30(folder, given);
    await mkdir(join(folder, 'evaluation'));
    const output = ['-package', 'evaluation', '-o', 'evaluation/evaluation.go'];
    await runProgram(
      'go',
      ['run', OAPI_CODEGEN, '-generate', 'types,client', ...output, 'openapi.json'],
      folder,
    );
    return runLifeInGo(folder, 'oapi-codegen', given);
  },
};
