import { getDocument, GlobalWorkerOptions, version, type PDFDocumentProxy } from 'pdfjs-dist';
// eslint-disable-next-line import/default -- Vite makes the address of the file its default export
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerUrl;

/** Decoders without WebAssembly (apps/desk/vite.config.ts). */
const DECODERS_URL = `/assets/pdfjs-${version}/`;

/** Documents that stay open: the copy on the screen, the one before it, and the next one, which is loaded ahead. */
const MOST_OPEN = 3;

const open = new Map<string, Promise<PDFDocumentProxy>>();

/**
 * Opens the PDF of a submission, or gives the open one. The address is short-lived and differs on each read, so
 * documents are kept by submission.
 */
export const loadPdf = (submissionId: string, url: string): Promise<PDFDocumentProxy> => {
  const known = open.get(submissionId);
  if (known !== undefined) {
    open.delete(submissionId);
    open.set(submissionId, known);
    return known;
  }
  // Copies come from strangers: no scripts, no forms, and no WebAssembly, which the content security policy forbids.
  const loading = getDocument({ url, useWasm: false, wasmUrl: DECODERS_URL, enableXfa: false }).promise;
  open.set(submissionId, loading);
  loading.catch(() => open.delete(submissionId));
  const [oldest] = open.keys();
  if (open.size > MOST_OPEN && oldest !== undefined) {
    const old = open.get(oldest);
    open.delete(oldest);
    void old?.then((document) => document.loadingTask.destroy()).catch(() => {});
  }
  return loading;
};
