import manifest from '../../package.json' with { type: 'json' };

/** The release of this code. Each part of evidence names the release that made it. */
export const RELEASE = manifest.version;
