/** The images (Dockerfile targets) and what each is made of. */
export interface Image {
  /** Programs by the name of their file, from the repository's root. `main` is what the image starts. */
  programs: Readonly<Record<string, string>>;
  /** Packages that cannot be bundled, and so are copied: they load files of their own by path. */
  packages: readonly CopiedPackage[];
  /** Folders and files of data that our code reads, by the name they get beside the programs. */
  folders: Readonly<Record<string, string>>;
}

export interface CopiedPackage {
  name: string;
  /** What of it is read at run time, as globs in its folder; package.json, licence and readme always come along. */
  files: readonly string[];
  /** Where a package is one a platform (`@img/sharp-linux-x64`), it is not there on the others. */
  optional?: boolean;
}

const copied = (name: string, ...files: string[]): CopiedPackage => ({ name, files });

/** sharp finds its native half by the platform's name; images run on glibc. */
const sharpOn = (platform: string): CopiedPackage[] => [
  { name: `@img/sharp-${platform}`, files: ['*.cjs', 'lib/*.node'], optional: true },
  { name: `@img/sharp-libvips-${platform}`, files: ['lib/**', 'versions.json'], optional: true },
];

/** Reading and drawing PDFs, and the baseline's OCR. */
const documentPackages: readonly CopiedPackage[] = [
  copied('sharp', 'dist/*.mjs', 'dist/*.cjs'),
  ...sharpOn('linux-x64'),
  ...sharpOn('linux-arm64'),
  ...sharpOn('darwin-x64'),
  ...sharpOn('darwin-arm64'),
  copied('@img/colour', '*.cjs'),
  copied('detect-libc', 'lib/**'),
  copied('semver', '*.js', '{classes,functions,internal,ranges}/**'),
  copied('@hyzyla/pdfium', 'dist/index.esm.js', 'dist/pdfium.wasm'),
  // Its worker thread is a file of its own. Under Node it asks for the engine's full builds (those without the old
  // recogniser are for browsers), with relaxed SIMD or with none: this Node has both kinds of SIMD or neither.
  copied('tesseract.js', 'src/**/*.js'),
  copied('tesseract.js-core', 'tesseract-core{-relaxedsimd,}.{js,wasm}'),
  copied('bmp-js', '*.js', 'lib/**'),
  copied('is-url', '*.js'),
  copied('regenerator-runtime', '*.js'),
  copied('wasm-feature-detect', 'dist/**'),
  copied('@tesseract.js-data/eng', 'index.js', '4.0.0_best_int/**'),
  copied('dejavu-fonts-ttf', 'ttf/DejaVuSans.ttf', 'ttf/DejaVuSans-Bold.ttf'),
];

/** Pages that `apps/facade/src/docs/pages.ts` serves besides those of `docs/api`. */
const CLIENT_PAGES = ['errors', 'open-points', 'objective-marking', 'reading', 'confidence'].map(
  (name) => `docs/${name}.md`,
);

const besideItself = (...paths: string[]): Record<string, string> =>
  Object.fromEntries(paths.map((path) => [path, path]));

export const images = {
  facade: {
    programs: { main: 'apps/facade/src/main.ts' },
    // The reference at /docs is drawn in the browser: its files are only sent.
    packages: [
      copied(
        'swagger-ui-dist',
        'swagger-ui-bundle.js',
        'swagger-ui-bundle.js.LICENSE.txt',
        'swagger-ui.css',
        'NOTICE',
      ),
    ],
    folders: { ...besideItself('docs/api', ...CLIENT_PAGES), assets: 'apps/facade/assets' },
  },
  core: {
    // The provisioning CLI travels with core: whoever may run a command in core's container may provision anyway.
    programs: { main: 'apps/core/src/main.ts', admin: 'apps/admin/src/main.ts' },
    packages: [],
    folders: {},
  },
  worker: { programs: { main: 'apps/worker/src/main.ts' }, packages: documentPackages, folders: {} },
  migrate: {
    programs: { main: 'apps/migrate/src/main.ts' },
    packages: [],
    folders: { prisma: 'packages/database/prisma' },
  },
} satisfies Record<string, Image>;

export type ImageName = keyof typeof images;
export const imageNames = Object.keys(images) as ImageName[];
