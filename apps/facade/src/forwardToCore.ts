import type { AppRoute } from '@ts-rest/core';
import type { Request, Response } from 'express';
import type { CoreAccess, CoreClient } from '@evaluation/core-client';
import type { Contract } from '@evaluation/rest-contract';
import type * as z from 'zod/v4';
import { coreFor } from './middleware/authenticate.ts';
import { keepFilesCounted } from './middleware/rateLimit.ts';
import { successStatusOf } from './middleware/routeMetadata.ts';

/*
 * Route `exams.edit` of the contract calls procedure `exams.edit` of core's public router: a query for GET, a mutation
 * for any other method. The input has a field for each path parameter (`examId` → `exam_id`) and for each header in the
 * contract (`if-match` → `if_match`). It has `query` and `body` if the contract has them. The output is the body of the
 * successful response.
 *
 * `proceduresOf` does not compile if a route has no procedure or if input or output differ.
 */

export type Routes = Record<string, Record<string, AppRoute>>;
export type Handler = (call: {
  req: Request;
  res: Response;
}) => Promise<{ status: 200 | 201 | 202; body: unknown }>;

export const forwardToCore = (core: CoreAccess, routes: Routes): Record<string, Record<string, Handler>> =>
  mapValues(routes, (endpoints, group) =>
    mapValues(endpoints, (route, endpoint): Handler => {
      const headerNames = Object.keys(Object(route.headers));
      const takesQuery = 'query' in route;
      const takesBody = 'body' in route && typeof route.body === 'object';
      return async ({ req, res }) => {
        const input = {
          ...Object.fromEntries(Object.entries(req.params).map(([name, value]) => [fieldName(name), value])),
          ...Object.fromEntries(headerNames.map((name) => [fieldName(name), req.headers[name]])),
          ...(takesQuery ? { query: req.query } : {}),
          ...(takesBody ? { body: req.body } : {}),
        };
        const procedures: AnyProcedures = proceduresOf(coreFor(core, res));
        const procedure = procedures[group]?.[endpoint];
        const answer = await (route.method === 'GET'
          ? procedure?.query?.(input)
          : procedure?.mutate?.(input));
        keepFilesCounted(res);
        return { status: successStatusOf(req), body: answer };
      };
    }),
  );

const proceduresOf = (client: CoreClient['public']): Procedures => ({
  account: client,
  candidates: client.candidates,
  credits: client.credits,
  exams: client.exams,
  questions: client.questions,
  rubrics: client.rubrics,
  submissions: client.submissions,
  uploads: client.uploads,
});

const fieldName = (name: string): string =>
  name.replaceAll('-', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const mapValues = <T, U>(
  record: Record<string, T>,
  convert: (value: T, key: string) => U,
): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value, key)]));

/** Method syntax, so that TypeScript accepts procedures with a narrower input; `Procedures` checks the inputs. */
interface AnyProcedure {
  query?(input: object): Promise<unknown>;
  mutate?(input: object): Promise<unknown>;
}
type AnyProcedures = Record<string, Record<string, AnyProcedure>>;

type Procedures = {
  [Group in keyof Contract]: { [Endpoint in keyof Contract[Group]]: Procedure<Contract[Group][Endpoint]> };
};
type Procedure<Route> = Route extends { method: 'GET' } ? { query: Call<Route> } : { mutate: Call<Route> };
type Call<Route> =
  unknown extends Input<Route>
    ? () => Promise<Answer<Route>>
    : (input: Input<Route>) => Promise<Answer<Route>>;

type Input<Route> = (Route extends { pathParams: z.ZodType<infer Params> }
  ? { [Name in keyof Params & string as FieldName<Name>]: string }
  : unknown) &
  (Route extends { headers: infer Headers }
    ? { [Name in keyof Headers & string as FieldName<Name>]?: string | undefined }
    : unknown) &
  (Route extends { query: infer Query extends z.ZodType } ? { query: z.input<Query> } : unknown) &
  (Route extends { body: infer Body extends z.ZodType } ? { body: z.input<Body> } : unknown);
type FieldName<Name extends string> = Name extends `${infer Resource}Id`
  ? `${Resource}_id`
  : Name extends `${infer Head}-${infer Tail}`
    ? `${Head}_${Tail}`
    : Name;

type Answer<Route> = Route extends { responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201 | 202)] extends infer Success
    ? Success extends z.ZodType
      ? z.input<Success>
      : StoredFile
    : never
  : never;
interface StoredFile {
  url: string;
  size_bytes: number;
}
