import * as z from 'zod/v4';

/*
 * How messages stay readable while a deploy is rolling and both releases are running:
 *
 *  - A reader ignores unknown fields, so a newer sender may add some.
 *  - A field added to an existing version must be optional (or have a default): messages of the older release, and
 *    those waiting in the lane when the new release starts, do not have it. It becomes required only with the next
 *    version.
 *  - A change that an old reader would misunderstand takes the next version number. An old reader refuses that number
 *    with `UnknownJobVersion` and returns the message to the lane for a reader of the newer release.
 */

/** The message has a version of a newer release. Return it to the lane. */
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

/** The bytes are not a message of this job and are dropped. The error does not quote them. */
export class MalformedJob extends Error {
  override readonly name = 'MalformedJob';
  readonly job: string;

  constructor(job: string, places: string) {
    super(`job ${job}: the message is not readable (${places})`);
    this.job = job;
  }
}

const envelopeSchema = z.looseObject({ version: z.int().min(1) });

const defineSchema = <Version extends number, Shape extends z.ZodRawShape>(version: Version, shape: Shape) =>
  z.object({ version: z.literal(version), ...shape });

interface Job<Version extends number, Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly version: Version;
  readonly schema: ReturnType<typeof defineSchema<Version, Shape>>;
  encode(message: z.infer<ReturnType<typeof defineSchema<Version, Shape>>>): Uint8Array;
  /**
   * @throws UnknownJobVersion if a newer release wrote the message
   * @throws MalformedJob if it is not JSON, or not this job
   */
  decode(bytes: Uint8Array): z.infer<ReturnType<typeof defineSchema<Version, Shape>>>;
}

export const defineJob = <Version extends number, Shape extends z.ZodRawShape>(options: {
  name: string;
  version: Version;
  shape: Shape;
}): Job<Version, Shape> => {
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
};

/** Lists failing fields with the kind of fault, without values, because values may be personal data. */
const describePlaces = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join('.') || 'message'}: ${issue.code}`).join(', ');
