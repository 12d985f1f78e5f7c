import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environments } from '@evaluation/platform/settings/environments';
import * as z from 'zod/v4';

/**
 * `npm run generate:env`: writes `.env.example` from packages/platform/src/settings: each variable with its comment,
 * default and the programs that read it. With `--check` it writes nothing, and exits with 1 if the file is out of date.
 */
const ROOT = join(import.meta.dirname, '../..');
const FILE = '.env.example';
const WIDTH = 110;

const HEADER = [
  'Settings of all programs, with their defaults. `npm start` needs none of them. To use some, copy this file to .env, take',
  'the # from the lines that you change, and start with: set -a; . ./.env; set +a; npm start',
  'Generated from packages/platform/src/settings by `npm run generate:env`; docs/operate/settings.md explains the main ones.',
].join(' ');

/** Comments above the variables in the sources, by variable name; the first comment of a name counts. */
const commentsOf = async (folder: string): Promise<Map<string, string>> => {
  const comments = new Map<string, string>();
  const files = (await readdir(folder)).filter((name) => /^[a-zA-Z]+\.ts$/.test(name));
  for (const file of files.toSorted()) {
    const source = await readFile(join(folder, file), 'utf8');
    for (const [, comment = '', name = ''] of source.matchAll(
      /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*([A-Z][A-Z0-9_]+):/g,
    )) {
      const text = comment
        .replaceAll(/^\s*\*/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim();
      if (!comments.has(name)) comments.set(name, text);
    }
  }
  return comments;
};

const wrapped = (text: string): string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > WIDTH) lines.push(`# ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};

/** The bounds of a number, e.g. `1 to 300.`; empty for other settings. */
const boundsOf = (field: z.ZodType): string => {
  const { minimum, maximum } = z.toJSONSchema(field, { io: 'output', unrepresentable: 'any' });
  return minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum}.`;
};

const valueOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

const envExample = async (): Promise<string> => {
  const comments = await commentsOf(join(ROOT, 'packages/platform/src/settings'));
  const readers = new Map<string, string[]>();
  const described = new Map<
    string,
    { value: string; bounds: string; choices: string[]; requiredBy: string[] }
  >();
  for (const [program, schema] of Object.entries(environments)) {
    for (const [name, field] of Object.entries<z.ZodType>(schema.shape)) {
      const unset = field.safeParse(undefined);
      const { enum: choices } = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
      readers.set(name, [...(readers.get(name) ?? []), program]);
      const known = described.get(name) ?? { value: '', bounds: '', choices: [], requiredBy: [] };
      described.set(name, {
        value: known.value === '' ? valueOf(unset.data) : known.value,
        bounds: boundsOf(field),
        choices: choices?.map(String) ?? known.choices,
        requiredBy: [...known.requiredBy, ...(unset.success ? [] : [program])],
      });
    }
  }
  const lines = wrapped(HEADER);
  let before = '';
  for (const [name, { value, bounds, choices, requiredBy }] of described) {
    const programs = readers.get(name)?.join(', ') ?? '';
    if (programs !== before) lines.push('', `## Read by: ${programs}`);
    before = programs;
    const comment = comments.get(name);
    const notes = [
      ...(comment === undefined ? [] : [comment]),
      ...(bounds === '' || choices.length > 0 ? [] : [bounds]),
      ...(choices.length === 0 ? [] : [`One of: ${choices.join(', ')}.`]),
      ...(requiredBy.length === 0 ? [] : [`Needed by ${requiredBy.join(', ')} as a program of its own.`]),
    ];
    lines.push('', ...(notes.length === 0 ? [] : wrapped(notes.join(' '))), `#${name}=${value}`);
  }
  return `${lines.join('\n')}\n`;
};

const wanted = await envExample();
if (!process.argv.includes('--check')) await writeFile(join(ROOT, FILE), wanted);
else if ((await readFile(join(ROOT, FILE), 'utf8').catch(() => '')) !== wanted) {
  console.error(`${FILE} is not what the settings say: npm run generate:env`);
  process.exitCode = 1;
}
