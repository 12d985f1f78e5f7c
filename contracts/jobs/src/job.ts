import * as z from 'zod/v4';

/*
 * How messages stay readable while a deploy is rolling and both releases are running:
 *
 *  - A reader ignores fields it does not know, so a newer sender may add some.
 *  - A field added to an existing version must be optional (or have a default): messages of the older release, and those
 *    waiting in the lane when the new release starts, do not have it. It becomes required only with the next version.
 *  - A change that an old reader would misunderstand takes the next version number. An old reader refuses that number
 *    with `UnknownJobVersion`, which is not a broken message: it goes back to the lane for a reader that knows it.
 */

/** A message of a version that this release does not know: a newer release wrote it. Hand it back to the lane. */
export class UnknownJobVersion extends Error {
  override readonly name = 'UnknownJobVersion';
  readonly job: string;
  readonly version: number;

  constructor(job: string, version: number) {
    super(`job ${job}: version ${version} is not known to this release`);
    this.job = job;
    this.version = version;
  }
}

/** Bytes that are no message of this job. They never will be, so the message is dropped; its text is not repeated here. */
export class MalformedJob extends Error {
  override readonly name = 'MalformedJob';
  readonly job: string;

  constructor(job: string, places: string) {
    super(`job ${job}: the message is not readable (${places})`);
    this.job = job;
  }
}

/** What is the same for every version of every job. */
const envelopeSchema = z.looseObject({ version: z.int().min(1) });

function defineSchema<Version extends number, Shape extends z.ZodRawShape>(version: Version, shape: Shape) {
  return z.object({ version: z.literal(version), ...shape });
}

/** One job: its name on the wire, its version, its schema, and how it becomes bytes and is read again. */
export interface Job<Version extends number, Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly version: Version;
  readonly schema: ReturnType<typeof defineSchema<Version, Shape>>;
  /** The message as UTF-8 JSON. */
  encode(message: z.infer<ReturnType<typeof defineSchema<Version, Shape>>>): Uint8Array;
  /**
   * Read a message.
   *
   * @throws UnknownJobVersion a newer release wrote it
   * @throws MalformedJob it is not JSON, or not this job
   */
  decode(bytes: Uint8Array): z.infer<ReturnType<typeof defineSchema<Version, Shape>>>;
}

/** Define a job by its name, version and fields. */
export function defineJob<Version extends number, Shape extends z.ZodRawShape>(options: {
  name: string;
  version: Version;
  shape: Shape;
}): Job<Version, Shape> {
  const { name, version } = options;
  const schema = defineSchema(version, options.shape);
  return {
    name,
    version,
    schema,
    encode: (message) => new TextEncoder().encode(JSON.stringify(message)),
    decode(bytes) {
      let content: unknown;
      try {
        content = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      } catch {
        throw new MalformedJob(name, 'not JSON');
      }
      const envelope = envelopeSchema.safeParse(content);
      if (envelope.success && envelope.data.version !== version)
        throw new UnknownJobVersion(name, envelope.data.version);
      const message = schema.safeParse(content);
      if (!message.success) throw new MalformedJob(name, describePlaces(message.error));
      return message.data;
    },
  };
}

/** Field names and kinds of fault, without the values: those are not ours to log. */
function describePlaces(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'message'}: ${issue.code}`).join(', ');
}
