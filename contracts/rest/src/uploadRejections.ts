/*
 * Why an upload was rejected: the sentence in `reject_reason`, by code. A worker sends the code, with the page where
 * there is one, and core takes the sentence from here. To add a reason, add a row here and a `refuse` in
 * `packages/pdf`.
 */

const rejections = {
  not_pdf: 'The file is not a PDF. Save or scan the copy as a PDF and upload it again.',
  encrypted: 'The file is protected by a password. Save it without a password and upload it again.',
  corrupt: 'The file is damaged and cannot be opened. Scan or export it again and upload the new file.',
  incomplete: 'The file is incomplete: its end is missing. Upload the whole file again.',
  portfolio:
    'The file is a portfolio: its copies are attached files. Save the attached copy itself as a PDF and upload that.',
  form_without_pages:
    'The file is a form that only Adobe software can draw (XFA). Print the form to a PDF and upload that.',
  no_pages: 'The file has no pages. Upload the file that holds the answer copy.',
  page_damaged:
    '{page} is damaged and cannot be read. Scan or export the copy again and upload the new file.',
  page_size:
    '{page} has an impossible size. Save the copy with ordinary pages, such as A4, and upload it again.',
  too_many_pixels:
    'The pictures in the file are too large to be read. Scan the copy at 300 dpi, or save it with smaller pictures, and upload the new file.',
  too_complex:
    'The file is too complex to be read in reasonable time. Print it to a new PDF or scan it again and upload the new file.',
  /** Inspections of the file crashed several workers or did not end. Also shown for an unknown code. */
  not_checked:
    'The file could not be checked: opening it takes too long or too much memory. Print it to a new PDF, or scan it again, and upload that.',
  /** For any file of an institute whose unreadable files used up their time of the day. */
  day_used_up:
    'Files of the institute that cannot be read have used up the time that they may have in a day. Upload the file again tomorrow.',
} as const;

export type UploadRejection = keyof typeof rejections;

const isRejection = (code: string): code is UploadRejection => Object.hasOwn(rejections, code);

export const uploadRejections = Object.keys(rejections).filter(isRejection);

/** @param page from 1; undefined if the reason concerns the whole file */
export const rejectReason = (code: UploadRejection, page?: number): string =>
  rejections[code].replace('{page}', page === undefined ? 'A page' : `Page ${page}`);

/** Code and page of a sentence of this table; null for other sentences. */
export const rejectionIn = (sentence: string): { code: UploadRejection; page: number | undefined } | null => {
  const number = /^Page (\d{1,7}) /.exec(sentence)?.[1];
  const page = number === undefined ? undefined : Number(number);
  const code = uploadRejections.find((one) => rejectReason(one, page) === sentence);
  return code === undefined ? null : { code, page };
};

/** Returns the sentence for the code and page that a worker sent. */
export const shownRejection = ({ code, page }: { code: string; page?: number | undefined }): string =>
  isRejection(code) ? rejectReason(code, page) : rejectReason('not_checked');
