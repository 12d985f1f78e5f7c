import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import GithubSlugger from 'github-slugger';

/*
 * Checks that references resolve: relative links and their anchors in Markdown files, mentions of `docs/PAGE.md#anchor`
 * in all other files, file names in the READMEs of apps and packages, and no mention of a chapter of a text that is not
 * in the repository.
 */

const run = promisify(execFile);

const READ = /(?:\.(?:md|ts|js|py|prisma|ya?ml|tpl|toml|sh)|Dockerfile)$/;
/** Applied migrations cannot be edited: the migration program compares their hashes. */
const FROZEN = /\/prisma\/migrations\//;
/** This check and its test contain references that are broken on purpose. */
const ITS_OWN = /^tests\/checks\/(?:checkR|r)eferences(?:\.test)?\.ts$/;

const LINK = /\]\(([^()\s]+)\)/g;
const MENTION = /\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g;
/** A README that lists the files of its folder. */
const README = /^(?:apps|packages)\/.*\bREADME\.md$/;
const FILE_NAME = /`([\w./-]+\.(?:tsx?|css))`/g;
const CHAPTER =
  /\b(?:spec(?:ification)?|design)(?:'s)?,? (?:chapters? [1-9]|[1-9](?:\.\d{1,2}|(?= ?[).,:;])))(?:\.\d+)?/gi;
const TEST_OF_CHAPTER = /\b(?:test|describe)(?:\.\w+)*(?:\([^\n]*?\))?\(\s*['"`][1-9]\.\d{1,2} /g;

/** @param root a git repository. @returns a line for each reference that does not resolve */
export const checkReferences = async (root: string): Promise<string[]> => {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const all = stdout.split('\n');
  const files = all.filter((file) => READ.test(file) && !FROZEN.test(file) && !ITS_OWN.test(file));
  const anchors = anchorsOf(root);
  const offences = await Promise.all(files.map((file) => offencesIn(root, file, anchors)));
  const names = await Promise.all(
    files
      .filter((file) => README.test(file))
      .map(async (file) => missingNames(file, await readFile(join(root, file), 'utf8').catch(() => ''), all)),
  );
  return [...offences.flat(), ...names.flat()];
};

/** A name without a folder is of a file below the README; a path may begin at any folder. */
const missingNames = (file: string, text: string, all: readonly string[]): string[] =>
  [...text.matchAll(FILE_NAME)].flatMap(([, name = '']) => {
    const below = name.includes('/') ? '' : `${posix.dirname(file)}/`;
    const path = posix.normalize(name).replace(/^(?:\.\.\/)+/, '');
    return all.some((other) => other === path || (other.startsWith(below) && other.endsWith(`/${path}`)))
      ? []
      : [`${file} ${name}: no such file`];
  });

/** Anchors of a Markdown file; null if the file does not exist. */
type Anchors = (file: string) => Promise<ReadonlySet<string> | null>;

const anchorsOf = (root: string): Anchors => {
  const known = new Map<string, ReturnType<Anchors>>();
  const read = async (file: string) => {
    const text = await readFile(join(root, file), 'utf8').catch(() => null);
    if (text === null) return null;
    const slugger = new GithubSlugger();
    const headings = [...withoutCode(text).matchAll(/^#{1,6} +(.*)$/gm)].map(([, title = '']) => title);
    return new Set(headings.map((title) => slugger.slug(title.replaceAll(/[`*]|\]\([^)]*\)|\[/g, ''))));
  };
  return (file) => {
    const anchorsOfFile = known.get(file) ?? read(file);
    known.set(file, anchorsOfFile);
    return anchorsOfFile;
  };
};

/** Empties the lines of fenced blocks; line numbers stay the same. */
const withoutCode = (text: string): string =>
  text.replaceAll(/^ *```[^]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, ''));

const offencesIn = async (root: string, file: string, anchors: Anchors): Promise<string[]> => {
  const text = await readFile(join(root, file), 'utf8').catch(() => '');
  const isMarkdown = file.endsWith('.md');
  const offences: string[] = [];
  const say = (at: number, what: string) =>
    offences.push(`${file}:${text.slice(0, at).split('\n').length} ${what}`);

  const prose = isMarkdown ? withoutCode(text) : text;
  for (const found of prose.matchAll(isMarkdown ? LINK : MENTION)) {
    const target = isMarkdown ? (found[1] ?? '') : found[0];
    if (/^[a-z]+:/.test(target)) continue;
    const reason = await brokenLink(root, isMarkdown ? posix.dirname(file) : '', file, target, anchors);
    if (reason !== null) say(found.index, `${target}: ${reason}`);
  }
  const chapters = file.endsWith('.test.ts') ? [CHAPTER, TEST_OF_CHAPTER] : [CHAPTER];
  for (const pattern of chapters)
    for (const found of text.matchAll(pattern))
      say(found.index, `${found[0].trim()}: a chapter of a text that is not here`);
  return offences;
};

const brokenLink = async (
  root: string,
  folder: string,
  from: string,
  target: string,
  anchors: Anchors,
): Promise<string | null> => {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : posix.join(folder, path);
  const exists = await access(join(root, file)).then(
    () => true,
    () => false,
  );
  if (!exists) return 'no such file';
  if (anchor === undefined || !file.endsWith('.md')) return null;
  return (await anchors(file))?.has(anchor) === true ? null : 'no such heading';
};
