import { readFileSync } from 'node:fs';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';

/** Operations of the committed openapi.json, with validators of their answers. */

export type JsonSchema = { [key: string]: unknown };

export interface Operation {
  name: string;
  method: string;
  /** `/exams/{examId}` */
  path: string;
  query: { name: string; schema: JsonSchema }[];
  headers: string[];
  /** null: the operation takes no body. */
  body: JsonSchema | null;
  /** By documented status: makes the validator of the answer at its first call; null: the answer is not JSON. */
  answers: ReadonlyMap<number, () => ValidateFunction | null>;
}

export const asObject = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {};

const document = asObject(
  JSON.parse(readFileSync(new URL('../../../contracts/rest/openapi.json', import.meta.url), 'utf8')),
);

/** The part of the document that a reference or a path names. */
const lookUp = (path: readonly string[]): JsonSchema =>
  path.reduce<JsonSchema>((at, key) => asObject(at[key]), document);

export const followed = (schema: JsonSchema): JsonSchema => {
  const reference = schema['$ref'];
  return typeof reference === 'string' ? followed(lookUp(reference.replace('#/', '').split('/'))) : schema;
};

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const METHODS = new Set(['get', 'post', 'patch', 'delete']);

export const readOperations = (): Operation[] => {
  // Formats are checked by the contract's own tests.
  const ajv = new Ajv2020.default({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema({ $id: 'https://openapi.test/', components: document['components'] });
  const validatorOf = (answer: JsonSchema): (() => ValidateFunction | null) => {
    const schema = asObject(asObject(asObject(answer['content'])['application/json'])['schema']);
    if (Object.keys(schema).length === 0) return () => null;
    const absolute: unknown = JSON.parse(
      JSON.stringify(schema).replaceAll('"#/', '"https://openapi.test/#/'),
    );
    // Compiling takes milliseconds, and most documented answers are never seen in a short run.
    let validator: ValidateFunction | undefined;
    return () => (validator ??= ajv.compile(asObject(absolute)));
  };
  return Object.entries(asObject(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(asObject(methods))
      .filter(([method]) => METHODS.has(method))
      .map(([method, described]) => {
        const operation = asObject(described);
        const parameters = asList(operation['parameters']).map((each) => followed(asObject(each)));
        const body = asObject(
          asObject(asObject(followed(asObject(operation['requestBody']))['content'])['application/json'])[
            'schema'
          ],
        );
        return {
          name: String(operation['operationId']),
          method: method.toUpperCase(),
          path,
          query: parameters
            .filter((parameter) => parameter['in'] === 'query')
            .map((parameter) => ({ name: String(parameter['name']), schema: asObject(parameter['schema']) })),
          headers: parameters
            .filter((parameter) => parameter['in'] === 'header')
            .map((parameter) => String(parameter['name'])),
          body: Object.keys(body).length === 0 ? null : body,
          answers: new Map(
            Object.entries(asObject(operation['responses'])).map(([status, answer]) => [
              Number(status),
              validatorOf(followed(asObject(answer))),
            ]),
          ),
        };
      }),
  );
};
