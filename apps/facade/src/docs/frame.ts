import type { Page } from './pages.ts';

interface Assets {
  style: string;
  referenceStyle: string;
  referenceScript: string;
  reference: string;
}

export const framed = (page: Page, pages: readonly Page[], assets: Assets): string =>
  htmlOf(page.title, assets.style, [], `${navigation(pages, page.path)}<main>${page.html}</main>`);

export const referencePage = (pages: readonly Page[], assets: Assets): string =>
  htmlOf(
    'Reference',
    assets.style,
    [
      `<link rel="stylesheet" href="${assets.referenceStyle}">`,
      `<script src="${assets.referenceScript}" defer></script>`,
      `<script src="${assets.reference}" defer></script>`,
    ],
    `${navigation(pages, REFERENCE)}<main class="wide"><div id="reference"></div><noscript>The reference needs JavaScript. The same content is <a href="/v1/openapi.json">openapi.json</a>.</noscript></main>`,
  );

export const REFERENCE = 'reference';

const ORDER = [
  '',
  'me',
  'exams',
  'questions',
  'rubrics',
  'candidates',
  'uploads',
  'submissions',
  'results',
  'review',
  'credits',
  'conventions',
  'lifecycle',
  'limits',
  'errors',
  'languages',
  'recipes',
  'clients',
  'changelog',
];

export const inOrder = (pages: readonly Page[]): Page[] => {
  const place = ({ path }: Page) => (ORDER.includes(path) ? ORDER.indexOf(path) : ORDER.length);
  return pages.toSorted((a, b) => place(a) - place(b));
};

const navigation = (pages: readonly Page[], current: string): string => {
  const links = inOrder(pages).map(({ path, title }) => linkTo(path, path === '' ? 'Start' : title, current));
  return `<nav><ul>${[linkTo(REFERENCE, 'Reference (search)', current), ...links].join('')}</ul></nav>`;
};

const linkTo = (path: string, title: string, current: string): string =>
  `<li><a href="/docs${path === '' ? '' : `/${path}`}"${path === current ? ' aria-current="page"' : ''}>${title}</a></li>`;

const htmlOf = (title: string, style: string, more: readonly string[], body: string): string =>
  [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title} - Answer-Evaluation Service</title>`,
    `<link rel="stylesheet" href="${style}">`,
    ...more,
    `</head><body>${body}</body></html>`,
  ].join('\n');
