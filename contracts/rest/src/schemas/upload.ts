import * as z from 'zod/v4';
import { requiredLongText, uuid } from './primitives.ts';

export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

/** See docs/api/uploads.md. Field names: open point `uploads-request`. */
export const UploadsCreate = z
  .object({
    files: z
      .array(
        z
          .object({
            file_name: requiredLongText(255),
            content_type: z.literal('application/pdf', { error: 'Only application/pdf.' }),
            size_bytes: z.int().gte(1).lte(MAX_UPLOAD_BYTES),
          })
          .meta({ id: 'UploadFile' }),
      )
      .min(1)
      .max(100),
  })
  .meta({ id: 'UploadsCreate', description: 'The files to be uploaded, each with its exact size.' });
export type UploadsCreate = z.infer<typeof UploadsCreate>;

export const PresignedUpload = z
  .object({
    id: uuid,
    upload_url: z
      .string()
      .meta({ description: 'PUT the file here within one hour; never send the API key.' }),
    headers: z.record(z.string(), z.string()).meta({ description: 'Send exactly these with the PUT.' }),
    status: z.literal('pending'),
  })
  .meta({ id: 'PresignedUpload' });
export type PresignedUpload = z.infer<typeof PresignedUpload>;

export const UploadsCreated = z.object({ uploads: z.array(PresignedUpload) }).meta({ id: 'UploadsCreated' });
export type UploadsCreated = z.infer<typeof UploadsCreated>;

export const Upload = z
  .object({
    id: uuid,
    status: z.enum(['pending', 'ready', 'rejected']),
    pages: z.int().optional(),
    reject_reason: z.string().optional(),
  })
  .meta({ id: 'Upload' });
export type Upload = z.infer<typeof Upload>;
