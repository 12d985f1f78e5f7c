import react from '@vitejs/plugin-react';

import { defineConfig } from 'vite';

/**
 * Build of the desk's page: `web` → `dist`. Every file below `assets` has a hash of its content in its name. The
 * development server serves `/style`, the page of type, spaces, colours and parts, which is not built.
 */
export default defineConfig(({ command }) => {
  // Tests and programs build the page at their start, with their own NODE_ENV or none. It is the same in all cases.
  if (command === 'build') process.env['NODE_ENV'] = 'production';
  return {
    root: `${import.meta.dirname}/web`,
    plugins: [react()],
    // The worker of class sets loads its engines as files of their own.
    worker: { format: 'es' },
    build: {
      outDir: '../dist',
      emptyOutDir: true,
      target: 'es2023',
      // The content security policy allows no data: scripts, and small files are cheap over HTTP/2.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      // Writes the licences of the bundled libraries, as they require.
      license: { fileName: 'LICENSES.md' },
      // `npm run check:page-size` has our own limits.
      chunkSizeWarningLimit: 2000,
      // Vite's polyfill would be one more script; all supported browsers have modulepreload.
      modulePreload: { polyfill: false },
    },
  };
});
