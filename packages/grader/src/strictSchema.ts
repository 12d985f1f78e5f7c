import { z } from 'zod/v4';

/** A model's output that breaks its schema. `problem` is shown to the model for its repair, and to nobody else. */
export class MalformedOutput extends Error {
  readonly problem: string;
  readonly output: string;

  constructor(problem: string, output: string, message = 'the model answered outside its schema') {
    super(message);
    this.problem = problem;
    this.output = output;
  }
}

/** Output that was too long for the model or for us, and of which the end is missing. */
export class CutOff extends MalformedOutput {
  /** Of the reply, as the endpoint counts them; null where it does not. */
  readonly outputTokens: number | null;

  constructor(problem: string, outputTokens: number | null = null) {
    super(problem, '', 'the reply of the model was cut off');
    this.outputTokens = outputTokens;
  }
}

/** Far above any honest answer; keeps a runaway model from filling memory. */
const MAX_OUTPUT_LENGTH = 1_000_000;

/** Keywords that strict mode refuses or that some compatible servers do not know; zod checks them all the same. */
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

/**
 * The JSON schema of a strictObject for `response_format: json_schema, strict: true`: closed objects, every property
 * required, null by anyOf. Bounds stay out of it; `readStrict` enforces them.
 */
export function strictJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    // What is asked for, before a schema's own transformation.
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const keyword of UNSUPPORTED) Reflect.deleteProperty(jsonSchema, keyword);
    },
  });
  return json;
}

/**
 * Reads hostile output strictly: one JSON value of the schema, and beside it only what models are known to put there
 * (jsonIn). Throws MalformedOutput.
 */
export function readStrict<T>(schema: z.ZodType<T>, output: string): T {
  if (output.length > MAX_OUTPUT_LENGTH) throw new CutOff('The JSON is far too long.');
  const read = schema.safeParse(jsonIn(output));
  if (!read.success) throw new MalformedOutput(z.prettifyError(read.error), output);
  return read.data;
}

/**
 * The JSON value that an output is; else the one that is left when reasoning before it (`</think>`) is taken off; else the
 * one in the only Markdown code block, at its end. Reasoning and prose may quote the candidate, so whatever is taken ends
 * where the output does, and of two code blocks none is.
 */
function jsonIn(output: string): unknown {
  for (const said of [output, ...withoutReasoning(output)]) {
    for (const text of [said, ...codeOf(said)]) {
      try {
        const value: unknown = JSON.parse(text);
        return value;
      } catch {
        // The next one may be.
      }
    }
  }
  throw new MalformedOutput('It is not complete JSON.', output);
}

const REASONING_END = '</think>';

/** Of the places where reasoning may end the last, since it may quote one, and the first, since the JSON may. */
function withoutReasoning(output: string): string[] {
  const ends = new Set([output.lastIndexOf(REASONING_END), output.indexOf(REASONING_END)]);
  return [...ends].filter((at) => at >= 0).map((at) => output.slice(at + REASONING_END.length));
}

const FENCE = '```';
const FENCES = /^[ \t]*```/gm;
const OPENING = /^[ \t]*```(?:json)?[ \t]*\r?\n/i;

function codeOf(text: string): string[] {
  const fenced = text.trimEnd();
  if (!fenced.endsWith(FENCE)) return [];
  const open = fenced.slice(0, -FENCE.length);
  const [first, ...more] = [...open.matchAll(FENCES)];
  if (first === undefined || more.length > 0) return [];
  const code = open.slice(first.index);
  return OPENING.test(code) ? [code.replace(OPENING, '')] : [];
}
