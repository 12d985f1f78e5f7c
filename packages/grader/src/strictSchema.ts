import * as z from 'zod/v4';

/** Output that breaks its schema. `problem` is shown only to the model, for its repair. */
export class MalformedOutput extends Error {
  readonly problem: string;
  readonly output: string;

  constructor(problem: string, output: string, message = 'the model answered outside its schema') {
    super(message);
    this.problem = problem;
    this.output = output;
  }
}

/** Output whose end is missing, because it exceeded the model's limit or ours. */
export class CutOff extends MalformedOutput {
  /** The endpoint's token count of the reply; null if it gives none. */
  readonly outputTokens: number | null;

  constructor(problem: string, outputTokens: number | null = null) {
    super(problem, '', 'the reply of the model was cut off');
    this.outputTokens = outputTokens;
  }
}

/** Far above any honest reply; bounds memory. */
const MAX_OUTPUT_LENGTH = 1_000_000;

/** Keywords that strict mode or some compatible servers refuse; zod checks them. */
const UNSUPPORTED = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'format',
];

const jsonSchemas = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

/**
 * Strict JSON schema for `response_format`, without the bounds, which `readStrict` enforces. Made once for each schema,
 * because each call needs it for the request and for the hash of the prompt.
 */
export const strictJsonSchema = (schema: z.ZodType): Readonly<Record<string, unknown>> => {
  const known = jsonSchemas.get(schema);
  if (known !== undefined) return known;
  const made = makeJsonSchema(schema);
  jsonSchemas.set(schema, made);
  return made;
};

const makeJsonSchema = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    // The schema of the reply, before the schema's own transformation.
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const keyword of UNSUPPORTED) Reflect.deleteProperty(jsonSchema, keyword);
    },
  });
  return json;
};

/** Parses untrusted output: one JSON value of the schema, in the forms of `jsonIn`. Throws MalformedOutput. */
export const readStrict = <T>(schema: z.ZodType<T>, output: string): T => {
  if (output.length > MAX_OUTPUT_LENGTH) throw new CutOff('The JSON is far too long.');
  const read = schema.safeParse(jsonIn(output));
  if (!read.success) throw new MalformedOutput(z.prettifyError(read.error), output);
  return read.data;
};

/**
 * The JSON value of an output: the whole output, else the part after reasoning (`</think>`), else the only Markdown
 * code block at its end. The value must end where the output ends, and two code blocks are refused, because reasoning
 * and prose may quote the candidate.
 */
const jsonIn = (output: string): unknown => {
  for (const part of [output, ...withoutReasoning(output)]) {
    for (const text of [part, ...codeOf(part)]) {
      try {
        const value: unknown = JSON.parse(text);
        return value;
      } catch {
        // Try the next candidate.
      }
    }
  }
  throw new MalformedOutput('It is not complete JSON.', output);
};

const REASONING_END = '</think>';

/** The text after the last `</think>`, and after the first: reasoning as well as JSON may quote one. */
const withoutReasoning = (output: string): string[] => {
  const ends = new Set([output.lastIndexOf(REASONING_END), output.indexOf(REASONING_END)]);
  return [...ends].filter((at) => at >= 0).map((at) => output.slice(at + REASONING_END.length));
};

const FENCE = '```';
const FENCES = /^[ \t]*```/gm;
const OPENING = /^[ \t]*```(?:json)?[ \t]*\r?\n/i;

const codeOf = (text: string): string[] => {
  const fenced = text.trimEnd();
  if (!fenced.endsWith(FENCE)) return [];
  const open = fenced.slice(0, -FENCE.length);
  const [first, ...more] = [...open.matchAll(FENCES)];
  if (first === undefined || more.length > 0) return [];
  const code = open.slice(first.index);
  return OPENING.test(code) ? [code.replace(OPENING, '')] : [];
};
