import { expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import openApi from '@evaluation/rest-contract/openapi.json' with { type: 'json' };
import postman from '@evaluation/rest-contract/postman.json' with { type: 'json' };
import { startIdleService } from '../harness/tenant.ts';

const service = closedAfterTests(await startIdleService());
const origin = new URL(service.baseUrl).origin;

interface Read {
  response: Response;
  text: string;
}
const read = async (path: string, init: RequestInit = {}): Promise<Read> => {
  const response = await fetch(`${origin}${path}`, init);
  return { response, text: await response.text() };
};

const addressesIn = (html: string): string[] =>
  [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address = '']) => address);

const wholeSite = async (): Promise<Map<string, Read>> => {
  const found = new Map<string, Read>();
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const page = await read(path);
    found.set(path, page);
    const isPage = page.response.headers.get('content-type')?.startsWith('text/html') === true;
    if (!isPage) continue;
    for (const address of addressesIn(page.text)) {
      const [target = ''] = address.split('#');
      if (target.startsWith('/')) waiting.push(target);
    }
  }
  return found;
};

test('each link of the site leads to a page or an asset of this service, and each anchor to a heading', async () => {
  const site = await wholeSite();
  expect([...site].filter(([, { response }]) => response.status !== 200).map(([path]) => path)).toEqual([]);
  expect([...site.keys()]).toEqual(
    expect.arrayContaining(['/docs', '/docs/exams', '/docs/reference', '/docs/errors']),
  );
  const broken: string[] = [];
  for (const [path, { response, text }] of site) {
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    for (const address of addressesIn(text)) {
      const [target = '', anchor] = address.split('#');
      if (anchor === undefined) continue;
      const page = site.get(target === '' ? path : target);
      if (page?.text.includes(` id="${anchor}"`) !== true) broken.push(`${path}: ${address}`);
    }
  }
  expect(broken).toEqual([]);
});

test('pages run no inline script and load nothing from another host', async () => {
  for (const [path, { response, text }] of await wholeSite()) {
    if (!path.startsWith('/docs')) continue;
    const policy = response.headers.get('content-security-policy') ?? '';
    expect([path, policy]).toEqual([path, expect.stringContaining("script-src 'self';")]);
    expect([path, policy]).toEqual([path, expect.not.stringMatching(/unsafe|https?:|\*/)]);
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    expect([path, text]).toEqual([path, expect.not.stringMatching(/<script>|<style|\son\w+="|\sstyle="/)]);
    const loaded = [...text.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]*)"/g)].map(
      ([, of]) => of,
    );
    for (const address of loaded)
      expect([path, address]).toEqual([path, expect.stringMatching(/^\/docs\/assets\//)]);
  }
});

test('assets are cached forever; pages are revalidated and answer 304', async () => {
  const { text } = await read('/docs/reference');
  const assets = addressesIn(text).filter((address) => address.startsWith('/docs/assets/'));
  expect(assets).toHaveLength(4);
  for (const asset of assets) {
    const { response } = await read(asset);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  }
  const page = await read('/docs/exams');
  expect(page.response.headers.get('cache-control')).toBe('no-cache');
  const etag = page.response.headers.get('etag') ?? '';
  const again = await read('/docs/exams', { headers: { 'if-none-match': etag } });
  expect([again.response.status, again.text]).toEqual([304, '']);
});

test('a client without compression gets the same page', async () => {
  const plain = await read('/docs/exams', { headers: { 'accept-encoding': 'identity' } });
  expect(plain.response.headers.get('content-encoding')).toBeNull();
  expect(plain.text).toBe((await read('/docs/exams')).text);
});

test('the documentation needs no key, counts against no limit, and is not a part of /v1', async () => {
  const { response } = await read('/docs');
  expect(response.status).toBe(200);
  expect(response.headers.get('ratelimit-limit')).toBeNull();
  expect(Object.keys(openApi.paths).filter((path) => path.includes('docs'))).toEqual([]);
  expect((await read('/v1/docs')).response.status).toBe(404);
  expect((await read('/docs/nothing')).response.status).toBe(404);
  expect((await read('/docs', { method: 'POST' })).response.status).toBe(404);
});

test('comments of the Markdown files, which contain set-up for tests, are not sent', async () => {
  const { text } = await read('/docs/submissions');
  expect(text).not.toMatch(/<!--|worker: grade|Hill View/);
  expect(text).toContain('<h2 id="feed">Feed</h2>');
});

test('the root leads to the documentation, and is no part of the API', async () => {
  const { response } = await read('/', { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
  expect((await read('/', { method: 'POST' })).response.status).toBe(404);
});

test('/llms.txt names each page as Markdown, whose links lead to Markdown of this service', async () => {
  const index = await read('/llms.txt');
  expect(index.response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const linksIn = (text: string) =>
    [...text.matchAll(/\]\((\/[^)#]*)(?:#[^)]*)?\)/g)].map(([, path = '']) => path);
  const named = index.text
    .split('\n')
    .flatMap((line) => /^- \[[^\]]*\]\(([^)]*)\)/.exec(line)?.slice(1) ?? []);
  const html = [...(await wholeSite())].filter(([, { response }]) =>
    response.headers.get('content-type')?.startsWith('text/html'),
  );
  // All pages but the reference, and three descriptions for programs.
  expect(named.length).toBe(html.length - 1 + 3);
  const seen = new Set<string>();
  for (const path of named.filter((one) => one.endsWith('.md'))) {
    const { response, text } = await read(path);
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      200,
      'text/markdown; charset=utf-8',
    ]);
    expect([path, text]).toEqual([path, expect.not.stringMatching(/<!--|worker: grade|\]\((?!\/|#|https:)/)]);
    for (const link of linksIn(text)) seen.add(link);
  }
  for (const link of seen) expect([link, (await read(link)).response.status]).toEqual([link, 200]);
});

test('each request of a page is shown in five languages', async () => {
  const { text } = await read('/docs/review');
  const requests = [...text.matchAll(/<pre><code>(?:GET|POST|PATCH|DELETE) \/v1/g)].length;
  expect(requests).toBeGreaterThan(3);
  for (const language of ['curl', 'Python', 'TypeScript', 'Java', 'Go'])
    expect(text.split(`<summary>${language}</summary>`)).toHaveLength(requests + 1);
  expect((await read('/docs/me')).text).toContain('answer = call(&quot;GET&quot;, &quot;/me&quot;)');
});

test('the Postman collection of the contract is served', async () => {
  const { response, text } = await read('/docs/postman.json');
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(JSON.parse(text)).toEqual(postman);
});
