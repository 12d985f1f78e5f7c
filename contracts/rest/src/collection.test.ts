import { expect, test } from 'vitest';
import * as z from 'zod/v4';
import openApi from '../openapi.json' with { type: 'json' };
import { collectionOf } from './collection.ts';
import { everyRoute } from './everyRoute.ts';

const Collection = z.object({
  item: z.array(
    z.object({
      name: z.string(),
      item: z.array(
        z.object({
          request: z.object({
            method: z.string(),
            header: z.array(
              z.object({ key: z.string(), value: z.string(), disabled: z.boolean().optional() }),
            ),
            url: z.object({ raw: z.string(), variable: z.array(z.object({ key: z.string() })) }),
            body: z.object({ raw: z.string() }).optional(),
          }),
        }),
      ),
    }),
  ),
});
const requests = Collection.parse(collectionOf(openApi)).item.flatMap(({ item }) =>
  item.map(({ request }) => request),
);

test('the collection has each operation of the contract once', () => {
  expect(requests.map(({ method, url }) => `${method} ${url.raw}`).toSorted()).toEqual(
    everyRoute()
      .map(({ route }) => `${route.method} {{base}}${route.path}`)
      .toSorted(),
  );
});

test('ids of paths are variables, bodies are JSON of the examples, and no optional header is sent', () => {
  for (const { url, body, header } of requests) {
    expect(url.variable.map(({ key }) => key)).toEqual(
      [...url.raw.matchAll(/:(\w+)/g)].map(([, name]) => name),
    );
    const sent = header.filter(({ disabled }) => disabled !== true).map(({ key }) => key);
    expect(sent).toEqual(body === undefined ? [] : ['Content-Type']);
    if (body !== undefined) expect(JSON.parse(body.raw)).toBeTypeOf('object');
  }
  const create = requests.find(({ method, url }) => method === 'POST' && url.raw === '{{base}}/exams');
  expect(JSON.parse(create?.body?.raw ?? '')).toEqual(openApi.components.examples.ExamCreate.value);
});
