import { z } from 'zod/v4';

/** A model's output that breaks its schema. `problem` is shown to the model for its repair, and to nobody else. */
export class MalformedOutput extends Error {
  readonly problem: string;
  readonly output: string;

  constructor(problem: string, output: string) {
    super('the model answered outside its schema');
    this.problem = problem;
    this.output = output;
  }
}

/** Output that was too long for the model or for us, and of which the end is missing. */
export class CutOff extends MalformedOutput {
  constructor(problem: string) {
    super(problem, '');
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
    override: ({ jsonSchema }) => {
      for (const keyword of UNSUPPORTED) Reflect.deleteProperty(jsonSchema, keyword);
    },
  });
  return json;
}

/** Where nothing holds a model to a schema it likes to wrap its JSON up as Markdown code. */
const FENCED = /^\s*```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n?```\s*$/i;

/** Reads hostile output strictly: JSON of the schema and nothing beside it but a code fence. Throws MalformedOutput. */
export function readStrict<T>(schema: z.ZodType<T>, output: string): T {
  if (output.length > MAX_OUTPUT_LENGTH) throw new CutOff('The answer is far too long.');
  let value: unknown;
  try {
    value = JSON.parse(FENCED.exec(output)?.[1] ?? output);
  } catch {
    throw new MalformedOutput('The answer is not complete JSON.', output);
  }
  const read = schema.safeParse(value);
  if (!read.success) throw new MalformedOutput(z.prettifyError(read.error), output);
  return read.data;
}
