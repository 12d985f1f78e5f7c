import type { Request, Router } from 'express';
import openApiDocument from '@evaluation/rest-contract/openapi.json' with { type: 'json' };
import { openApi30 } from '@evaluation/rest-contract/openapi-3.0';

/**
 * The description of the API in OpenAPI 3.1 and 3.0. Both need no key and have no rate limit, so their text is made
 * once. A request adds the address that it was sent to, because clients take their base address from `servers`.
 */
export const serveOpenApi = (v1: Router): void => {
  for (const [name, document] of Object.entries({
    'openapi.json': openApiDocument,
    'openapi-3.0.json': openApi30(openApiDocument),
  })) {
    const { servers: _, ...rest } = { servers: [], ...document };
    const text = JSON.stringify(rest).slice(1);
    v1.get(`/${name}`, (request, response) => {
      const servers = JSON.stringify([{ url: addressOf(request) }]);
      response.type('json').send(`{"servers":${servers},${text}`);
    });
  }
};

/** `X-Forwarded-*` count only if they come from a trusted proxy (`TRUSTED_PROXIES`). */
const addressOf = ({ protocol, host }: Request): string =>
  HOST.test(host ?? '') ? `${protocol}://${host}/v1` : '/v1';

/** A name or an address with an optional port, so that a forged header puts no other text into the document. */
const HOST = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
