import { expose } from 'comlink';
import { mergeCopies } from './mergeCopies.ts';

/* Joins the checked copies of a ZIP file into one PDF, off the page's own thread. */

const mergeWorker = {
  merge: async (zip: Blob) => {
    const { pdf, ...rest } = await mergeCopies(new Uint8Array(await zip.arrayBuffer()));
    return { ...rest, file: new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }) };
  },
};
export type MergeWorker = typeof mergeWorker;

expose(mergeWorker);
