import type { Page } from 'playwright-core';

export interface Dropped {
  name: string;
  base64: string;
  type: string;
}

/** Drops files on an element, as the browser does after a person has dragged them there. */
export const drop = async (page: Page, name: string, files: readonly Dropped[]): Promise<void> => {
  const transfer = await page.evaluateHandle(
    `(() => {
      const transfer = new DataTransfer();
      for (const { name, base64, type } of ${JSON.stringify(files)}) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0));
        transfer.items.add(new File([bytes], name, { type }));
      }
      return transfer;
    })()`,
  );
  const area = page.getByRole('group', { name });
  for (const type of ['dragenter', 'dragover', 'drop'])
    await area.dispatchEvent(type, { dataTransfer: transfer });
};
