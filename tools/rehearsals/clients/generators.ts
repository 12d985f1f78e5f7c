import { fromOapiCodegen } from './go.ts';
import { fromOpenApiGenerator } from './openApiGenerator.ts';
import { fromOpenApiPythonClient } from './python.ts';
import type { Given } from './life.ts';

export interface Generator {
  name: string;
  /** Programs that must be on the path. */
  needs: readonly string[];
  /**
   * Generates and compiles a client in the empty `folder`, and runs the program of the life with it.
   *
   * @returns what the program printed
   */
  live(folder: string, given: Given): Promise<string>;
}

export const generators: readonly Generator[] = [
  fromOpenApiPythonClient,
  fromOpenApiGenerator.python,
  fromOpenApiGenerator.java,
  fromOpenApiGenerator.go,
  fromOapiCodegen,
];
