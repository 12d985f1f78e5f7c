import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/*
 * Checks that the repository is written in one dialect, where oxlint has no rule that fits. The files are formatted, so
 * a declaration at the top level begins its line.
 */

const run = promisify(execFile);

interface Rule {
  pattern: RegExp;
  message: string;
  files: RegExp;
  /** Files that the rule does not apply to, each with a reason beside it. */
  except?: RegExp;
}

const CODE = /\.tsx?$/;
/** Production code: neither tests nor test services nor tools. */
const PRODUCTION = /^(?:apps|contracts|packages)\/[^/]+\/(?:web\/)?src\/(?!.*\.test\.ts$).*\.tsx?$/;
/** Texts of the desk, a file for each language. */
const TEXTS = /\/texts\.\w+\.json$/;
const WORDED = /\.(?:tsx?|md|tpl|ya?ml|prisma|sh)$|\/texts\.\w+\.json$/;

const RULES: readonly Rule[] = [
  {
    pattern: /^(?:export )?(?:async )?function (?![^;]*?\): (?:never|asserts .*) \{)/gm,
    message:
      'a function at the top level is an arrow constant, unless it is a generator, asserts or never returns',
    files: CODE,
  },
  {
    pattern:
      /^(?:export )?const [a-z]\w*(?:: \w+)? = (?:-?[\d.][\d._]*(?: \*\*? [\d_]+)*|'[^'\n]*'|\/.*\/[a-z]*);/gm,
    message: 'a constant number, text or pattern has a name in capitals: MARK_STEP',
    files: PRODUCTION,
  },
  {
    pattern: /^import (?!(?:type )?\* as z from).*from 'zod\/v4'/gm,
    message: "zod is imported by `import * as z from 'zod/v4'`",
    files: CODE,
  },
  {
    pattern: /^(?:export )?let /gm,
    message:
      'state of a module is shared by all that the process serves: keep it in a function that creates it',
    files: PRODUCTION,
    // State of the process: an engine loaded once, a handler installed once, child processes, the time of a warning,
    // whether a child has decoded a picture.
    except:
      /^(?:packages\/(?:database\/src\/drift\/engine|embedded\/src\/running|grader\/src\/baseline\/ocr|pdf\/src\/child\/main|platform\/src\/telemetry\/metrics)|apps\/(?:core\/src\/grading\/evidence\/storeEvidence|worker\/src\/workFolder))\.ts$/,
  },
  {
    pattern: /\b(?:const|let) of\b|[(,] ?(?:\.\.\.)?of(?=[:,)]| =)(?![^(]*\bof\b [A-Za-z]+\))|\bof =>/g,
    message: 'a variable has a name that says what it holds, and not `of`',
    files: CODE,
    // `of` is a key of the settings of rate limits.
    except: /^packages\/platform\/src\/settings\/rateLimits\.ts$|^apps\/facade\/src\/rateLimits\//,
  },
  {
    // Drawings and tables, and a line that cannot be broken, such as an address, may be longer.
    pattern: /^(?=.{121})(?!.*(?:──|\S {3,}))(?: *)(?:\/\/|\/?\*+) (?!\S{90})/gm,
    message: 'a comment is wrapped at 120 characters',
    files: CODE,
  },
  {
    // Without the flag `m`, `^` is the beginning of the file.
    pattern: /^(?=(?:.*\n){400})/g,
    message: 'a file that is written by hand has fewer than 400 lines; split it by its concepts',
    files: CODE,
    // Longer when the rule was made. Take a file off this list when it is split or deleted.
    except:
      /^(?:apps\/core\/src\/grading\/evidence\/evidence|packages\/grader\/src\/evidence\/replay|tests\/cli\/candidate-data|tests\/rest\/results\/fields)\.test\.ts$/,
  },
  {
    // A JSON import takes the last text of a key, and TypeScript does not report the others.
    pattern: /^ *("[^"]+":)(?=[^]*^ *\1)/gm,
    message: 'a file of texts has each key once',
    files: TEXTS,
  },
  {
    pattern: /\b(?:[Ww]hoever|[Oo]f whom|[Ss]omebody|[Aa]nybody|[Nn]obody)\b/g,
    message: 'name the person or the program',
    files: WORDED,
    // PostgreSQL runs as the account `nobody` under root; prompts change with their version only.
    except:
      /^packages\/(?:embedded\/src\/postgres|grader\/src\/fence\.ts|grader\/src\/readPages\/prompt\.ts)/,
  },
];

/** This check and its test contain what they refuse. */
const ITS_OWN = /^tests\/checks\/(?:checkD|d)ialect(?:\.test)?\.ts$/;

/** @param root a git repository. @returns a line for each offence */
export const checkDialect = async (root: string): Promise<string[]> => {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = stdout.split('\n').filter((file) => WORDED.test(file) && !ITS_OWN.test(file));
  const offences = await Promise.all(
    files.map(async (file) => offencesIn(file, await readFile(join(root, file), 'utf8').catch(() => ''))),
  );
  return offences.flat();
};

const offencesIn = (file: string, text: string): string[] =>
  RULES.filter(({ files, except }) => files.test(file) && except?.test(file) !== true).flatMap(
    ({ pattern, message }) =>
      [...text.matchAll(pattern)].map(
        (found) => `${file}:${text.slice(0, found.index).split('\n').length} ${found[0].trim()}: ${message}`,
      ),
  );
