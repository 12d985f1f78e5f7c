import i18next from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import { LANGUAGES, loadTexts, type Language, type TextKey } from './texts.ts';

export type { TextKey };

const KEPT_AS = 'desk.language';

const isLanguage = (value: unknown): value is Language => LANGUAGES.some((language) => language === value);

const chosenLanguage = (): Language => {
  const wanted = [localStorage.getItem(KEPT_AS), ...navigator.languages.map((tag) => tag.split('-')[0])];
  return wanted.find(isLanguage) ?? 'en';
};

/** Loads the texts of the language that was chosen in this browser, and English for missing texts. */
export const startLanguage = async (): Promise<void> => {
  const chosen = chosenLanguage();
  const loaded: readonly Language[] = [...new Set<Language>(['en', chosen])];
  const resources = await Promise.all(
    loaded.map(async (language) => [language, { translation: await loadTexts[language]() }] as const),
  );
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language;
  });
  await i18next.use(initReactI18next).init({
    lng: chosen,
    fallbackLng: 'en',
    resources: Object.fromEntries(resources),
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
  });
};

export const changeLanguage = async (language: Language): Promise<void> => {
  if (!i18next.hasResourceBundle(language, 'translation'))
    i18next.addResourceBundle(language, 'translation', await loadTexts[language]());
  localStorage.setItem(KEPT_AS, language);
  await i18next.changeLanguage(language);
};

export const languageNow = (): Language => {
  const { language } = i18next;
  return isLanguage(language) ? language : 'en';
};

/** The browser's locale for the language of the page, such as `en-IN`; the language if the browser has none for it. */
export const localeNow = (): string => {
  const language = languageNow();
  return navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;
};

type Values = Readonly<Record<string, string | number>>;

/** The text of a key in the language of the page. Components use `useText`, which follows a change of the language. */
export const t = (key: TextKey, values: Values = {}): string => i18next.t(key, values);

export const useText = (): typeof t => {
  useTranslation();
  return t;
};
