import { PDFiumLibrary, type PDFiumPage } from '@hyzyla/pdfium';
import type { Upload, UploadsCreated } from '@evaluation/rest-contract/schemas';
import { writePdf, type PdfObject } from './pdfFile.ts';
import type { ApiClient } from './api.ts';

/** A PDF with this many pages, each with a line of text; padded to `bytes` if given. */
export const plainPdf = (pages: number, bytes = 0): Buffer =>
  textPdf(
    Array.from({ length: pages }, (_, index) => `Page ${index + 1} of ${pages}`),
    bytes,
  );

/** One page without ink. */
export const blankPdf = (): Buffer =>
  writePdf(
    [
      { dictionary: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>' },
      { dictionary: '<< /Type /Pages /Kids [1 0 R] /Count 1 >>' },
      { dictionary: '<< /Type /Catalog /Pages 2 0 R >>' },
    ],
    '/Root 3 0 R',
  );

/** A PDF with one line of text on each page; no parentheses. */
export const textPdf = (lines: readonly string[], bytes = 0): Buffer => {
  const pages = lines.length;
  const tree = pages * 2 + 2;
  const objects: PdfObject[] = [{ dictionary: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>' }];
  for (let page = 1; page <= pages; page += 1) {
    const stream = Buffer.from(`BT /F 14 Tf 72 760 Td (${lines[page - 1]}) Tj ET`);
    objects.push(
      { dictionary: `<< /Length ${stream.length} >>`, stream },
      {
        dictionary: `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 1 0 R >> >> /Contents ${page * 2} 0 R >>`,
      },
    );
  }
  const kids = Array.from({ length: pages }, (_, index) => `${index * 2 + 3} 0 R`).join(' ');
  objects.push(
    { dictionary: `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>` },
    { dictionary: `<< /Type /Catalog /Pages ${tree} 0 R >>` },
  );
  const pdf = writePdf(objects, `/Root ${tree + 1} 0 R`);
  if (bytes < pdf.byteLength) return pdf;
  // Padding precedes the header: readers search for the header in 1024 bytes, and data after %%EOF would hide the
  // trailer from some.
  const padding = Buffer.from('\n'.repeat(bytes - pdf.byteLength));
  return Buffer.concat([pdf, padding]);
};

export type Address = UploadsCreated['uploads'][number];

export const presign = async (api: ApiClient, sizeBytes: number): Promise<Address> => {
  const { status, body } = await api.post<UploadsCreated>('/uploads', {
    files: [{ file_name: 'copy.pdf', content_type: 'application/pdf', size_bytes: sizeBytes }],
  });
  const [address] = body.uploads;
  if (status !== 201 || address === undefined) throw new Error(`no address: ${JSON.stringify(body)}`);
  return address;
};

/** PUTs bytes to the address, with its headers or others. @returns the store's status */
export const put = async (
  address: Address,
  bytes: Uint8Array,
  headers: Record<string, string> = address.headers,
): Promise<number> => {
  const response = await fetch(address.upload_url, {
    method: 'PUT',
    headers,
    body: Uint8Array.from(bytes),
  });
  await response.arrayBuffer();
  return response.status;
};

export const untilInspected = async (api: ApiClient, uploadId: string): Promise<Upload> => {
  for (;;) {
    const { body } = await api.get<Upload>(`/uploads/${uploadId}`);
    if (body.status !== 'pending') return body;
  }
};

export const textOfPages = (pdf: Uint8Array): Promise<string[]> => ofPages(pdf, (page) => page.getText());

/** Points. */
export const sizesOfPages = (pdf: Uint8Array): Promise<{ width: number; height: number }[]> =>
  ofPages(pdf, (page) => {
    const { originalWidth, originalHeight } = page.getOriginalSize();
    return { width: originalWidth, height: originalHeight };
  });

const ofPages = async <T>(pdf: Uint8Array, read: (page: PDFiumPage) => T): Promise<T[]> => {
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(pdf);
    try {
      return [...document.pages()].map(read);
    } finally {
      document.destroy();
    }
  } finally {
    library.destroy();
  }
};
