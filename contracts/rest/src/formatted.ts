import { format } from 'oxfmt';

/** As in `oxfmt.config.ts`; `check:format` fails on generated files when the two differ. */
const STYLE = { singleQuote: true, printWidth: 110 } as const;

/** @param name decides the language: README.md is Markdown @throws Error when the text is not in that language */
export const formatted = async (name: string, text: string): Promise<string> => {
  const { code, errors } = await format(name, text, STYLE);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${name} cannot be formatted: ${error.message}`);
  return code;
};
