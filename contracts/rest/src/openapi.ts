import type { AppRoute } from '@ts-rest/core';
import { generateOpenApiAsync } from '@ts-rest/open-api';
import { failuresOfKind } from './callFailures.ts';
import type { JsonSchema } from './clientSchemas.ts';
import { ErrorEnvelope, errors, type ErrorCode } from './errors.ts';
import { detailsExamples, examples } from './examples.ts';
import { collectSchemas } from './jsonSchemas.ts';
import { SCOPE_TEXTS, SCOPES } from './schemas/account.ts';
import { contract, happensOnce, type RouteMetadata } from './routes/index.ts';

type Operation = Parameters<NonNullable<Parameters<typeof generateOpenApiAsync>[2]['operationMapper']>>[0];

/**
 * Builds openapi.json from the contract: OpenAPI 3.1.0, deterministic (docs/api/conventions.md#versions). Throws if two
 * schemas share a name or if a route has no metadata.
 */
export const openApiDocument = async (): Promise<object> => {
  const schemas = collectSchemas();
  const error = schemas.schemaOf(ErrorEnvelope, 'output');
  if (error === null) throw new Error('The error envelope has no schema.');

  const document = await generateOpenApiAsync(
    contract,
    { info, servers: [{ url: '/v1' }] },
    {
      setOperationId: 'concatenated-path',
      schemaTransformer: async ({ schema, type }) =>
        schemas.schemaOf(schema, type === 'response' ? 'output' : 'input'),
      operationMapper: (operation, route) => described(operation, route),
    },
  );

  return {
    openapi: '3.1.0',
    info: document.info,
    servers: document.servers,
    tags,
    paths: document.paths,
    components: {
      securitySchemes: { ApiKey: apiKey },
      headers,
      examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
      responses: errorResponses(error),
      schemas: schemas.components(),
    },
  };
};

const info = {
  title: 'Answer-Evaluation Service',
  version: '1.0.0',
  // `LicenseRef-` is the SPDX prefix for a licence that is not on its list.
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  description: [
    'Marks exam answers with the help of AI. Create an exam with its questions, answer keys and rubrics; submit for each candidate a scanned handwritten copy (one PDF, uploaded beforehand) or typed answers; read question-wise marks, per-criterion breakdowns, feedback and, for handwritten copies, an annotated checked copy.',
    'Grading is asynchronous: a submission is accepted with `202` and its `status` moves on its own. Poll it, or read the feed `GET /submissions?updated_since=`. Marks are drafts until they are finalized, and nothing is ever sent to students.',
    'For servers only: an API key must never be placed in a browser, a mobile app or a public repository, and must not be sent to an `upload_url`. Every key is live and every graded copy is billed in credits; there is no test mode. Answers and feedback are in English.',
    'Clients ignore fields they do not know, and branch on `error.code`. An operation that carries `x-provisional` rests on a place which the written specification leaves open: `docs/open-points.md` says which, and what was chosen.',
  ].join('\n\n'),
};

const tags = [
  { name: 'account', description: 'What a key may do, and how much of today it has used.' },
  { name: 'exams', description: 'Papers: questions, answer keys, rubrics, candidates.' },
  { name: 'questions', description: 'The questions of an exam, one by one.' },
  { name: 'rubrics', description: 'What long answers are marked by, in versions.' },
  {
    name: 'candidates',
    description: 'Who sits an exam. A candidate belongs to the institute, not to one exam.',
  },
  { name: 'uploads', description: 'Scanned copies on their way in.' },
  { name: 'submissions', description: 'Answers handed in, their grading and their results.' },
  { name: 'credits', description: 'What grading costs, and what there is to pay it with.' },
];

const apiKey = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-Key',
  description: [
    'The key of one institute, created in its dashboard: a prefix and 48 hexadecimal characters. Sent by servers only.',
    'A key has scopes, and each operation names the one that it needs (`x-required-scope`, and the role in its `security`):',
    SCOPES.map((scope) => `- \`${scope}\`: ${SCOPE_TEXTS[scope]}`).join('\n'),
    'New keys have `evaluation:read` and `evaluation:write`. A missing, unknown, revoked or expired key answers `401 invalid_api_key`; a key without the scope `403 insufficient_scope`.',
  ].join('\n\n'),
};

const headers = {
  RequestId: {
    description: 'Names this request; also `error.request_id`. Quote it when asking for help.',
    required: true,
    schema: { type: 'string' },
  },
  Replayed: {
    description:
      '`true` when this is the stored answer to an earlier request with the same `Idempotency-Key`.',
    required: false,
    schema: { type: 'string', enum: ['true'] },
  },
  RateLimitLimit: {
    description:
      'What the tightest window that the request counted against admits; of a `429 rate_limited`, the window that refused it. The three are absent where no limit applies.',
    schema: { type: 'integer', format: 'int32', minimum: 1 },
  },
  RateLimitRemaining: {
    description: 'What that window has left.',
    schema: { type: 'integer', format: 'int32', minimum: 0 },
  },
  RateLimitReset: {
    description: 'Seconds until that window ends.',
    schema: { type: 'integer', format: 'int32', minimum: 0 },
  },
  RetryAfter: {
    description: 'Seconds to wait before the next try.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0 },
  },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  required: false,
  description:
    'Makes the request happen once: the same key with the same request is answered as the first time, for 48 hours. Use a new key for each request, and the same one for its retries.',
  schema: { type: 'string' as const, minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
};

const limited = {
  'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
};
const requestId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
const replayed = { 'Idempotent-Replayed': { $ref: '#/components/headers/Replayed' } };
const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };

const errorNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'InsufficientCredits',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'PreconditionFailed',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
};

const errorResponses = (schema: JsonSchema) =>
  Object.fromEntries(
    Object.entries(errorNames).flatMap(([status, name]) => {
      const rows = Object.entries(errors).filter(([, row]) => row.status === Number(status));
      if (rows.length === 0) return [];
      return [[name, errorResponse(Number(status), rows, schema)]];
    }),
  );

/** Statuses of requests that are refused before they are counted: no valid key, product or scope. */
const UNCOUNTED: readonly number[] = [401, 403];

const errorResponse = (
  status: number,
  rows: readonly [string, { when: string; message: string }][],
  schema: JsonSchema,
) => ({
  description: rows.map(([code, { when }]) => `\`${code}\`: ${when}`).join('\n\n'),
  headers: {
    ...requestId,
    ...(UNCOUNTED.includes(status) ? {} : limited),
    ...(status === 429 || status === 503 ? retryAfter : {}),
  },
  content: {
    'application/json': {
      schema,
      examples: Object.fromEntries(
        rows.map(([code, { message }]) => [
          code,
          { value: { error: { code, message, request_id: EXAMPLE_REQUEST_ID, ...exampleDetails(code) } } },
        ]),
      ),
    },
  },
});

const EXAMPLE_REQUEST_ID = 'd294a5b6-c7d8-43e4-9556-718293a4b5c6';

const exampleDetails = (code: string) => {
  const details = Object.entries(detailsExamples).find(([of]) => of === code)?.[1];
  return details === undefined ? {} : { details };
};

const failingStatuses = (route: AppRoute, metadata: RouteMetadata): number[] => {
  const statuses = new Set([...failuresOfKind(route, metadata), ...metadata.failures].map(statusOf));
  return [...statuses].sort((a, b) => a - b);
};

const statusOf = (code: ErrorCode): number => errors[code].status;

const isMetadata = (metadata: unknown): metadata is RouteMetadata =>
  typeof metadata === 'object' && metadata !== null && 'scope' in metadata && 'failures' in metadata;

/** Adds to an operation what ts-rest does not generate: key and scope, failures, headers, examples, open points. */
const described = (operation: Operation, route: AppRoute): Operation => {
  const { metadata } = route;
  if (!isMetadata(metadata)) throw new Error(`The route ${route.method} ${route.path} has no metadata.`);
  const { description: _, deprecated: __, requestBody, responses, ...rest } = operation;
  const takesKey = happensOnce(metadata, route.method);
  return {
    ...rest,
    description: [route.description, scopeText(metadata.scope)]
      .filter((text) => text !== undefined)
      .join('\n\n'),
    security:
      metadata.scope === 'public' ? [] : [{ ApiKey: metadata.scope === null ? [] : [metadata.scope] }],
    ...(metadata.scope === null || metadata.scope === 'public' ? {} : { 'x-required-scope': metadata.scope }),
    ...(metadata.provisional === undefined ? {} : { 'x-provisional': [...metadata.provisional] }),
    ...(takesKey ? { parameters: [...(rest.parameters ?? []), idempotencyKey] } : {}),
    ...(requestBody === undefined ? {} : { requestBody: describedBody(requestBody, route) }),
    responses: {
      ...successes(responses, { ...requestId, ...limited, ...(takesKey ? replayed : {}) }),
      ...Object.fromEntries(
        failingStatuses(route, metadata).map((status) => [
          status,
          { $ref: `#/components/responses/${errorNames[status]}` },
        ]),
      ),
    },
  };
};

const scopeText = (scope: RouteMetadata['scope']): string => {
  if (scope === 'public') return 'Needs no key.';
  return scope === null ? 'Any valid key; no scope needed.' : `Needs the scope \`${scope}\`.`;
};

const describedBody = (body: NonNullable<Operation['requestBody']>, route: AppRoute) => {
  if (!('content' in body)) return body;
  // ts-rest omits `required`; a body is optional only if its schema accepts undefined.
  const schema: unknown = 'body' in route ? route.body : undefined;
  const optional = takesUndefined(schema);
  return { required: !optional, content: withExamples(body.content) };
};

const takesUndefined = (schema: unknown): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  'safeParse' in schema &&
  typeof schema.safeParse === 'function' &&
  schema.safeParse(undefined).success === true;

const STATUS_TEXT: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

const successes = (responses: Operation['responses'], carried: object) =>
  Object.fromEntries(
    Object.entries<{ content?: Content }>(responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, response]) => [
        status,
        {
          description: STATUS_TEXT[status] ?? status,
          headers: carried,
          ...(response.content === undefined ? {} : { content: withExamples(response.content) }),
        },
      ]),
  );

interface Content {
  [mediaType: string]: { schema?: object };
}

const withExamples = (content: Content): Content =>
  Object.fromEntries(
    Object.entries(content).map(([mediaType, media]) => [
      mediaType,
      { ...media, ...exampleOf(media.schema) },
    ]),
  );

const exampleOf = (schema: object | undefined) => {
  const ref = schema !== undefined && '$ref' in schema ? schema.$ref : undefined;
  const name = typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : '';
  return name in examples ? { examples: { [name]: { $ref: `#/components/examples/${name}` } } } : {};
};
