import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import postman from '@evaluation/rest-contract/postman.json' with { type: 'json' };
import { framed, inOrder, REFERENCE, referencePage } from './frame.ts';
import { markdownPath, readPages, type Page } from './pages.ts';

export interface SiteFile {
  type: string;
  body: Buffer;
  /** gzip of `body`: the script of the reference is 1.7 MB. */
  gzipped: Buffer;
  etag: string;
  /** The address contains the hash of the content, so clients may cache it without limit. */
  isImmutable: boolean;
}

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

const OWN = fileURLToPath(new URL('../../assets', import.meta.url));

export const buildSite = async (): Promise<Map<string, SiteFile>> => {
  const swagger = createRequire(import.meta.url);
  const site = new Map<string, SiteFile>();
  const add = async (path: string, type: string, body: Buffer, isImmutable: boolean) => {
    site.set(path, { type, body, gzipped: await compressed(body), etag: `"${hashOf(body)}"`, isImmutable });
  };
  const addAsset = async (name: string, file: string, type: string): Promise<string> => {
    const body = await readFile(file);
    const path = `/docs/assets/${hashOf(body)}/${name}`;
    await add(path, type, body, true);
    return path;
  };
  const assets = {
    style: await addAsset('docs.css', join(OWN, 'docs.css'), CSS),
    reference: await addAsset('reference.js', join(OWN, 'reference.js'), JAVASCRIPT),
    referenceStyle: await addAsset('swagger-ui.css', swagger.resolve('swagger-ui-dist/swagger-ui.css'), CSS),
    referenceScript: await addAsset(
      'swagger-ui.js',
      swagger.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
      JAVASCRIPT,
    ),
  };
  const pages = await readPages();
  await add('/docs/postman.json', JSON_TYPE, Buffer.from(JSON.stringify(postman)), false);
  await add(LLMS, TEXT, Buffer.from(indexForPrograms(pages)), false);
  for (const page of pages) {
    await add(markdownPath(page.path), MARKDOWN, Buffer.from(page.markdown), false);
    await add(
      page.path === '' ? '/docs' : `/docs/${page.path}`,
      HTML,
      Buffer.from(framed(page, pages, assets)),
      false,
    );
  }
  await add(`/docs/${REFERENCE}`, HTML, Buffer.from(referencePage(pages, assets)), false);
  return site;
};

/** The index of the pages for language models (https://llmstxt.org). */
const LLMS = '/llms.txt';

const indexForPrograms = (pages: readonly Page[]): string =>
  [
    '# Answer-Evaluation Service',
    '',
    '> An API that marks exam answers, server to server: scanned handwritten copies and typed answers.',
    '',
    '## Documentation',
    '',
    ...inOrder(pages).map(({ path, title, markdown }) => {
      const [, about = ''] = markdown.split(/\n\n/);
      return `- [${title}](${markdownPath(path)}): ${about.replaceAll('\n', ' ')}`;
    }),
    '',
    '## Description for programs',
    '',
    '- [OpenAPI 3.1](/v1/openapi.json)',
    '- [OpenAPI 3.0](/v1/openapi-3.0.json)',
    '- [Postman collection](/docs/postman.json)',
    '',
  ].join('\n');

const compressed = promisify<Buffer, Buffer>(gzip);

const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('base64url').slice(0, 16);
