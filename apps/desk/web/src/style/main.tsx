import '@mantine/core/styles.css';
import '../app/style.css';
import { Box, MantineProvider, SimpleGrid } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { cssVariables, theme } from '../app/theme.ts';
import { StyleSheet } from './StyleSheet.tsx';

/*
 * The page `/style` of the development server (`npm run style -w @evaluation/desk`). The build has one entry,
 * `index.html`, so the page is in no bundle.
 */

const SCHEMES = ['light', 'dark'] as const;

/** The sheet in both colour schemes side by side. Each is the root of its own variables. */
const StylePage = () => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing={0}>
    {SCHEMES.map((scheme) => (
      <div key={scheme} id={scheme}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariables}
          cssVariablesSelector={`#${scheme}`}
          getRootElement={() => document.getElementById(scheme) ?? undefined}
          forceColorScheme={scheme}
        >
          <Box bg="var(--mantine-color-body)" c="var(--mantine-color-text)" p="lg">
            <StyleSheet scheme={scheme} />
          </Box>
        </MantineProvider>
      </div>
    ))}
  </SimpleGrid>
);

const page = document.getElementById('page');
if (page === null) throw new Error('style.html has no element with the id `page`');
// The grid around the two schemes needs a theme too.
createRoot(page).render(
  <MantineProvider theme={theme} withGlobalClasses={false}>
    <StylePage />
  </MantineProvider>,
);
