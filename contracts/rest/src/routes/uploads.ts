import * as z from 'zod/v4';
import { givenId } from '../schemas/primitives.ts';
import { Upload, UploadsCreate, UploadsCreated } from '../schemas/upload.ts';
import { about, c } from './contract.ts';

export const uploads = c.router({
  create: {
    method: 'POST',
    path: '/uploads',
    summary: 'Ask for addresses to upload scanned copies to',
    body: UploadsCreate,
    responses: { 201: UploadsCreated },
    metadata: about({
      scope: 'evaluation:write',
      failures: ['validation_failed'],
      provisional: ['uploads-request'],
      countsFiles: true,
    }),
  },
  get: {
    method: 'GET',
    path: '/uploads/:uploadId',
    summary: 'Read an upload; the first read after the PUT checks the file',
    pathParams: z.object({ uploadId: givenId }),
    responses: { 200: Upload },
    metadata: about({
      scope: 'evaluation:read',
      failures: ['not_found'],
      provisional: ['uploads-request', 'upload-pending'],
    }),
  },
});
