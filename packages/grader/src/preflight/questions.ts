/** Questions of a preflight. They contain no text of a candidate. Code reads the replies, which are not stored. */
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import * as z from 'zod/v4';
import { longText } from './longText.ts';
import { compareWord, randomWord, WORD_LENGTH } from './letters.ts';
import { pictureOf } from './picture.ts';

export interface Question<Reply> {
  name: 'preflight_schema' | 'preflight_vision' | 'preflight_context';
  messages: ChatCompletionMessageParam[];
  schema: z.ZodType<Reply>;
  rate(reply: Reply): 'right' | 'nearly' | 'wrong';
}

/** The kinds of values in our schemas. No list and no free text, which a weak model under a grammar may never end. */
const formSchema = z.strictObject({
  item: z.strictObject({
    marks: z.number(),
    level: z.enum(['low', 'high']),
    note: z.union([z.enum(['late']), z.null()]),
  }),
});

/** Checks whether replies follow the schema; their values do not matter. */
export const formQuestion = (): Question<z.infer<typeof formSchema>> => ({
  name: 'preflight_schema',
  messages: [
    { role: 'system', content: 'You write one item. Answer with nothing else.' },
    { role: 'user', content: 'Write the item with marks 1, level low and note null.' },
  ],
  schema: formSchema,
  rate: () => 'right',
});

const lettersSchema = z.strictObject({
  letters: z.string().describe('The letters from left to right, without spaces.'),
});

/** Checks whether the letters of a picture come back. Each question has random letters. */
export const sightQuestion = async (): Promise<Question<z.infer<typeof lettersSchema>>> => {
  const word = randomWord();
  const jpeg = await pictureOf(word);
  return {
    name: 'preflight_vision',
    messages: [
      { role: 'system', content: 'You read letters in pictures.' },
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: `The picture shows ${WORD_LENGTH} capital letters in a row. Which letters are they, from left to right?`,
          },
          { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${jpeg.toString('base64')}` } },
        ],
      },
    ],
    schema: lettersSchema,
    rate: ({ letters }) => compareWord(letters, word),
  };
};

const codeWordsSchema = z.strictObject({
  first: z.string().describe('The code word in the first line of the text.'),
  last: z.string().describe('The code word in the last line of the text.'),
});

/** Checks whether beginning and end of a text of about `characters` characters come back. */
export const contextQuestion = (
  characters: number,
): Question<z.infer<typeof codeWordsSchema>> & { words: number } => {
  const { text, first, last } = longText(characters);
  return {
    words: text.split(/\s+/).length,
    name: 'preflight_context',
    messages: [
      {
        role: 'system',
        content:
          'You find code words in a text. Its first line has one and its last line has another. Give both exactly as they are written.',
      },
      { role: 'user', content: `${text}\n\nWhich are the first and the last code word of this text?` },
    ],
    schema: codeWordsSchema,
    rate: (reply) =>
      reply.first.toUpperCase().includes(first) && reply.last.toUpperCase().includes(last)
        ? 'right'
        : 'wrong',
  };
};
