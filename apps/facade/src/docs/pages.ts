import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import GithubSlugger from 'github-slugger';
import { Marked, type Tokens } from 'marked';
import { LANGUAGES, requestIn, sampleOf, type SampleRequest } from '@evaluation/rest-contract/samples';

export interface Page {
  /** Path below `/docs`; empty for the first page. */
  path: string;
  title: string;
  html: string;
  /** The Markdown with links to the site, for programs that read text. */
  markdown: string;
}

const FOLDER = fileURLToPath(new URL('../../../../docs', import.meta.url));

const BESIDE = ['errors.md', 'open-points.md', 'objective-marking.md', 'reading.md', 'confidence.md'];

/** Renders `docs/api` and the pages in `BESIDE`. The input is Markdown files of the repository only. */
export const readPages = async (): Promise<Page[]> => {
  const names = await readdir(join(FOLDER, 'api'));
  const files = [...names.sort().map((name) => `api/${name}`), ...BESIDE];
  const paths = new Map(files.map((file) => [file, pathOf(file)]));
  return Promise.all(
    files.map(async (file) => render(file, await readFile(join(FOLDER, file), 'utf8'), paths)),
  );
};

const pathOf = (file: string): string => {
  const name = posix.basename(file, '.md');
  return name === 'README' ? '' : name;
};

const render = async (file: string, text: string, paths: ReadonlyMap<string, string>): Promise<Page> => {
  const slugger = new GithubSlugger();
  let title = file;
  const marked = new Marked({
    renderer: {
      // Drops HTML: the Markdown has only HTML comments, which mark places for generators and tests.
      html: () => '',
      heading({ tokens, depth }: Tokens.Heading) {
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
        if (depth === 1) title = plain;
        return `<h${depth} id="${slugger.slug(plain)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code({ text: code, lang = '' }: Tokens.Code) {
        const block = `<pre><code>${escaped(code)}\n</code></pre>\n`;
        const request = requestIn(lang, code);
        return request === null ? block : `${block}${samplesOf(request)}\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const address = addressOf(file, href, paths);
        return address === null ? inner : `<a href="${address}">${inner}</a>`;
      },
      table(token: Tokens.Table) {
        const cells = (row: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const rows = token.rows.map((row) => cells(row, 'td')).join('\n');
        return `<div class="table"><table><thead>${cells(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  const html = await marked.parse(text);
  return { path: paths.get(file) ?? '', title, html, markdown: markdownOf(file, text, paths) };
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const samplesOf = (request: SampleRequest): string => {
  const samples = LANGUAGES.map(
    (language) =>
      `<details><summary>${language}</summary><pre><code>${escaped(sampleOf(language, request))}\n</code></pre></details>`,
  );
  return `<div class="samples">${samples.join('')}</div>`;
};

/** Address of a link's target on the site; null if the site does not have that page. */
const addressOf = (file: string, href: string, paths: ReadonlyMap<string, string>): string | null => {
  if (href.startsWith('https://') || href.startsWith('#')) return href;
  const [target = '', anchor] = href.split('#');
  const path = paths.get(posix.join(posix.dirname(file), target));
  if (path === undefined) return null;
  return `/docs${path === '' ? '' : `/${path}`}${anchor === undefined ? '' : `#${anchor}`}`;
};

/** Path of a page as Markdown. */
export const markdownPath = (path: string): string => `/docs/${path === '' ? 'index' : path}.md`;

const COMMENT = /<!--[^]*?-->\n*/g;
const LINK = /\[([^\]]*)\]\(([^)\s]+)\)/g;

/** Without comments, which set up tests. A link to a page that the site lacks becomes its text. */
const markdownOf = (file: string, text: string, paths: ReadonlyMap<string, string>): string =>
  text.replaceAll(COMMENT, '').replaceAll(LINK, (link, inner: string, href: string) => {
    if (href.startsWith('https://') || href.startsWith('#')) return link;
    const [target = '', anchor] = href.split('#');
    const path = paths.get(posix.join(posix.dirname(file), target));
    if (path === undefined) return inner;
    return `[${inner}](${markdownPath(path)}${anchor === undefined ? '' : `#${anchor}`})`;
  });
