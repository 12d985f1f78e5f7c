import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from './calls.ts';
import { router } from './router.tsx';
import { cssVariables, theme } from './theme.ts';

/** Nonce of the content security policy, without which the browser ignores style elements that a library adds. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Read by `get-nonce`, which locks the scrolling of the page while a dialog is open.
Reflect.set(globalThis, '__webpack_nonce__', nonce);

export const App = () => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
    <Notifications position="bottom-right" />
  </MantineProvider>
);
