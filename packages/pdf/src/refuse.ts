import { rejectReason, type UploadRejection } from '@evaluation/rest-contract/upload-rejections';
import type { Inspection } from './types.ts';

export function refuse(code: UploadRejection, page?: number): Inspection {
  return { ok: false, code, reason: rejectReason(code, page), ...(page === undefined ? {} : { page }) };
}
