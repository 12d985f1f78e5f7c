import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runLifeInGo } from './go.ts';
import { argumentsOf, type Given } from './life.ts';
import { newPythonEnvironment, runLifeInPython } from './python.ts';
import { runProgram } from './runProgram.ts';

/** The version that docs/api/clients.md names. */
const VERSION = '7.25.0';

/** Writes the client of one of OpenAPI Generator's own generators into the folder `output`. */
const generate = async (
  folder: string,
  given: Given,
  generator: string,
  output: string,
  ...options: string[]
): Promise<void> => {
  const artifact = `org.openapitools:openapi-generator-cli:${VERSION}`;
  const copy = ['dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  await runProgram('mvn', ['--quiet', '--batch-mode', ...copy], folder);
  const jar = join(folder, `openapi-generator-cli-${VERSION}.jar`);
  const input = ['-i', `${given.baseUrl}/openapi-3.0.json`, '-g', generator, '-o', output];
  await runProgram('java', ['-jar', jar, 'generate', ...input, ...options], folder);
};

export const fromOpenApiGenerator = {
  python: {
    name: 'openapi-generator-python',
    needs: ['mvn', 'java', 'python3'],
    live: async (folder: string, given: Given): Promise<string> => {
      await generate(folder, given, 'python', 'client', '--package-name', 'evaluation');
      const python = await newPythonEnvironment(folder, join(folder, 'client'));
      return runLifeInPython(python, folder, 'openapi-generator-python', given);
    },
  },
  java: {
    name: 'openapi-generator-java',
    needs: ['mvn', 'java', 'javac'],
    live: async (folder: string, given: Given): Promise<string> => {
      await generate(folder, given, 'java', 'client');
      const client = join(folder, 'client');
      const program = join(import.meta.dirname, 'openapi-generator-java/Life.java');
      await cp(program, join(client, 'src/main/java/Life.java'));
      const classPath = ['dependency:build-classpath', '-Dmdep.outputFile=classpath'];
      await runProgram('mvn', ['--quiet', '--batch-mode', 'compile', ...classPath], client);
      const path = `target/classes:${await readFile(join(client, 'classpath'), 'utf8')}`;
      return runProgram('java', ['-cp', path, 'Life', ...argumentsOf(given)], client);
    },
  },
  go: {
    name: 'openapi-generator-go',
    needs: ['mvn', 'java', 'go'],
    live: async (folder: string, given: Given): Promise<string> => {
      const options = ['--package-name', 'evaluation', '--additional-properties', 'withGoMod=false'];
      await generate(folder, given, 'go', 'evaluation', ...options);
      return runLifeInGo(folder, 'openapi-generator-go', given);
    },
  },
};
