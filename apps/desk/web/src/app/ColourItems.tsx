import { Menu, useMantineColorScheme } from '@mantine/core';
import { useText } from './language.ts';

const SCHEMES = ['light', 'dark', 'auto'] as const;

export const ColourItems = () => {
  const t = useText();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Menu.Label>{t('app.colours')}</Menu.Label>
      {SCHEMES.map((scheme) => (
        <Menu.Item
          key={scheme}
          onClick={() => setColorScheme(scheme)}
          rightSection={colorScheme === scheme ? <span aria-hidden>✓</span> : null}
        >
          {t(`app.colours.${scheme}`)}
        </Menu.Item>
      ))}
    </>
  );
};
