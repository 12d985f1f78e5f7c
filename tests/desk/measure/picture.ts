import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

const IMAGES = fileURLToPath(new URL('../../../docs/desk/images/', import.meta.url));
const MOST_BYTES = 60_000;

/** A picture of the window in the best quality that has at most MOST_BYTES. */
export const write = async (page: Page, name: string): Promise<void> => {
  await page.waitForLoadState('networkidle').catch(() => {});
  // Charts and pages of copies are drawn after the answers of the calls.
  await page.waitForTimeout(1500);
  await writePicture(await page.screenshot(), name);
};

/** As `write`, of a picture. */
export const writePicture = async (picture: Buffer, name: string): Promise<void> => {
  for (let quality = 85; ; quality -= 15) {
    const webp = await sharp(picture).webp({ quality, effort: 6 }).toBuffer();
    if (webp.byteLength > MOST_BYTES && quality > 30) continue;
    await writeFile(`${IMAGES}${name}.webp`, webp);
    return;
  }
};
