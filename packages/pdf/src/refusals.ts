import type { Inspection } from './types.ts';

type Refused = Extract<Inspection, { ok: false }>;

/** Why an upload is rejected: what a teacher or a student reads, and what they can do. docs/reading.md lists them. */
const refusals = {
  not_pdf: {
    code: 'not_pdf',
    reason: 'The file is not a PDF. Save or scan the copy as a PDF and upload it again.',
  },
  password: {
    code: 'encrypted',
    reason: 'The file is protected by a password. Save it without a password and upload it again.',
  },
  corrupt: {
    code: 'corrupt',
    reason: 'The file is damaged and cannot be opened. Scan or export it again and upload the new file.',
  },
  incomplete: {
    code: 'corrupt',
    reason: 'The file is incomplete: its end is missing. Upload the whole file again.',
  },
  lost_page: {
    code: 'corrupt',
    reason:
      'Page {page} is damaged and cannot be read. Scan or export the copy again and upload the new file.',
  },
  no_pages: {
    code: 'no_pages',
    reason: 'The file has no pages. Upload the file that holds the answer copy.',
  },
  page_size: {
    code: 'page_size',
    reason:
      'Page {page} has an impossible size. Save the copy with ordinary pages, such as A4, and upload it again.',
  },
  too_many_pixels: {
    code: 'too_large',
    reason:
      'The pictures in the file are too large to be read. Scan the copy at 300 dpi, or save it with smaller pictures, and upload the new file.',
  },
  too_complex: {
    code: 'too_complex',
    reason:
      'The file is too complex to be read in reasonable time. Print it to a new PDF or scan it again and upload the new file.',
  },
} as const satisfies Record<string, Pick<Refused, 'code' | 'reason'>>;

/** @param page from 1, where the reason names one */
export function refuse(why: keyof typeof refusals, page = 0): Refused {
  const { code, reason } = refusals[why];
  return { ok: false, code, reason: reason.replace('{page}', String(page)) };
}
