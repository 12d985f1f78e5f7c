import { createTheme, type CSSVariablesResolver } from '@mantine/core';

/** Darker shades in place of Mantine's own ones that have less contrast than WCAG AA requires (4.5 : 1). */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  fontFamily: "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans Devanagari', sans-serif",
  respectReducedMotion: true,
  // The header of a dialog is not the banner of the page.
  components: { ModalHeader: { defaultProps: { role: 'none' } } },
});

export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-error': colors.red[4],
  },
});
