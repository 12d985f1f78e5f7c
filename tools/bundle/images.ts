export interface Image {
  /** Source files by program name; the image starts `main`. */
  programs: Readonly<Record<string, string>>;
  /** Packages that are copied instead of bundled, because they load files by path. */
  packages: readonly CopiedPackage[];
  /** Data folders and files by their name beside the programs. */
  folders: Readonly<Record<string, string>>;
}

export interface CopiedPackage {
  name: string;
  /** Globs of the files needed at run time; package.json, licence and readme are always copied. */
  files: readonly string[];
  /** Installed on one platform only, such as `@img/sharp-linux-x64`. */
  optional?: boolean;
}

const copied = (name: string, ...files: string[]): CopiedPackage => ({ name, files });

/** sharp loads its native package by platform name; the images use glibc. */
const sharpOn = (platform: string): CopiedPackage[] => [
  { name: `@img/sharp-${platform}`, files: ['*.cjs', 'lib/*.node'], optional: true },
  { name: `@img/sharp-libvips-${platform}`, files: ['lib/**', 'versions.json'], optional: true },
];

/** Argon2 loads its native package by platform name. */
const argonOn = (platform: string): CopiedPackage => ({
  name: `@node-rs/argon2-${platform}`,
  files: ['*.node'],
  optional: true,
});

const passwordPackages: readonly CopiedPackage[] = [
  copied('@node-rs/argon2', 'index.js'),
  argonOn('linux-x64-gnu'),
  argonOn('linux-arm64-gnu'),
  argonOn('darwin-x64'),
  argonOn('darwin-arm64'),
];

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
  // Of the runtime's binaries for five platforms, the images need those of Linux.
  copied('onnxruntime-node', 'dist/**/*.js', 'bin/napi-v6/linux/*/*'),
  copied('onnxruntime-common', 'dist/cjs/**/*.{js,json}', 'dist/esm/**/*.{js,json}'),
  copied('word-list', '*.js', 'words.txt'),
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
    // Browsers draw the reference at /docs; the facade only serves these files.
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
  desk: {
    programs: { main: 'apps/desk/src/main.ts' },
    packages: [],
    // `npm run bundle` builds the page first.
    folders: { dist: 'apps/desk/dist' },
  },
  core: {
    // The image of core includes the admin CLI: shell access to core's container allows provisioning in any case.
    programs: { main: 'apps/core/src/main.ts', admin: 'apps/cli/src/admin/main.ts' },
    packages: passwordPackages,
    folders: {},
  },
  worker: {
    programs: { main: 'apps/worker/src/main.ts' },
    packages: documentPackages,
    folders: { weights: 'packages/reader/weights' },
  },
  migrate: {
    programs: { main: 'apps/cli/src/migrate/main.ts' },
    packages: [],
    folders: { prisma: 'packages/database/prisma' },
  },
} satisfies Record<string, Image>;

export type ImageName = keyof typeof images;
export const imageNames = Object.keys(images) as ImageName[];
