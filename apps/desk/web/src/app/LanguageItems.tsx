import { Menu } from '@mantine/core';
import { changeLanguage, languageNow, useText } from './language.ts';
import { notifyError } from './notices.ts';
import { LANGUAGES } from './texts.ts';

export const LanguageItems = () => {
  const t = useText();
  return (
    <>
      <Menu.Label>{t('app.language')}</Menu.Label>
      {LANGUAGES.map((language) => (
        <Menu.Item
          key={language}
          lang={language}
          onClick={() => void changeLanguage(language).catch(notifyError)}
          rightSection={languageNow() === language ? <span aria-hidden>✓</span> : null}
        >
          {t(`app.language.${language}`)}
        </Menu.Item>
      ))}
    </>
  );
};
