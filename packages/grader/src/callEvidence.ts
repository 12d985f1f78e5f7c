import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { CallEvidence } from './grader.ts';
import { GraderFailure } from './grader.ts';
import type { ModelCall, PromptPart } from './modelCall.ts';
import { strictJsonSchema } from './strictSchema.ts';
import { turnedJpeg } from './turn.ts';

/** A part of a prompt with the content of its file at the time of the call. */
export type LoadedPart = { text: string; hashedText?: string } | { page: number; jpeg: Buffer };

/** Reads and turns the page images of a prompt. Throws GraderFailure permanent. */
export const loadParts = async (parts: readonly PromptPart[]): Promise<LoadedPart[]> =>
  await Promise.all(
    parts.map(async (part) => {
      if ('text' in part) return part;
      try {
        return { page: part.page, jpeg: await turnedJpeg(await readFile(part.jpegFile), part.turn) };
      } catch {
        throw new GraderFailure('permanent', 'a page image could not be read');
      }
    }),
  );

/**
 * Hash of a call's prompt and schema, with its random boundary replaced by a constant and page images by their hashes.
 */
export const hashOfPrompt = (
  call: Pick<ModelCall<unknown, unknown>, 'system' | 'boundary' | 'schema'>,
  parts: readonly LoadedPart[],
): Pick<CallEvidence, 'promptSha256' | 'images'> => {
  const images: CallEvidence['images'] = [];
  const asked = parts.map((part) => {
    if ('text' in part) {
      const text = part.hashedText ?? part.text;
      return call.boundary === null ? text : text.replaceAll(call.boundary, 'BOUNDARY');
    }
    const sha256 = sha256Of(part.jpeg);
    images.push({ page: part.page, sha256 });
    return { image: sha256 };
  });
  const whole = JSON.stringify([call.system, asked, strictJsonSchema(call.schema)]);
  return { promptSha256: sha256Of(whole), images };
};

export const sha256Of = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');
