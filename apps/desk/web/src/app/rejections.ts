import { rejectionIn, type UploadRejection } from '@evaluation/rest-contract/upload-rejections';
import { languageNow, t, type TextKey } from './language.ts';

const TEXTS: Readonly<Record<UploadRejection, TextKey>> = {
  not_pdf: 'app.rejection.notPdf',
  encrypted: 'app.rejection.encrypted',
  corrupt: 'app.rejection.corrupt',
  incomplete: 'app.rejection.incomplete',
  portfolio: 'app.rejection.portfolio',
  form_without_pages: 'app.rejection.formWithoutPages',
  no_pages: 'app.rejection.noPages',
  page_damaged: 'app.rejection.pageDamaged',
  page_size: 'app.rejection.pageSize',
  too_many_pixels: 'app.rejection.tooManyPixels',
  too_complex: 'app.rejection.tooComplex',
  not_checked: 'app.rejection.notChecked',
  day_used_up: 'app.rejection.dayUsedUp',
};

/** Codes that concern one page of the file. */
const OF_A_PAGE: Partial<Record<UploadRejection, TextKey>> = {
  page_damaged: 'app.rejection.onePageDamaged',
  page_size: 'app.rejection.onePageSize',
};

/**
 * Why a file was rejected, in the language of the page.
 * @param reason core's English sentence, which is used in English. The contract knows the code of the sentence. Other
 * languages have one general text for sentences that it does not know, such as those of a later release.
 */
export const textOfRejection = (reason: string): string => {
  if (languageNow() === 'en') return reason;
  const found = rejectionIn(reason);
  if (found === null) return t('app.rejection.other');
  const ofPage = OF_A_PAGE[found.code];
  return found.page === undefined || ofPage === undefined
    ? t(TEXTS[found.code])
    : t(ofPage, { page: found.page });
};
