import { PDFDocument, PDFName } from '#pdf-lib';

/** True if viewers show the attached files of a PDF in place of its pages. */
export const isPortfolio = async (bytes: Buffer): Promise<boolean> => {
  try {
    const { catalog } = await PDFDocument.load(bytes, { updateMetadata: false, ignoreEncryption: true });
    return catalog.has(PDFName.of('Collection'));
  } catch {
    return false;
  }
};
