import { rejectReason, type UploadRejection } from '@evaluation/rest-contract/upload-rejections';
import type { Inspection } from './types.ts';

export const refuse = (code: UploadRejection, page?: number): Inspection => ({
  ok: false,
  code,
  reason: rejectReason(code, page),
  ...(page === undefined ? {} : { page }),
});
