import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, cp, link, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, type ImageName } from '@evaluation/bundle';
import { RUN_BUNDLES, sharedBundle } from '../harness/bundles.ts';

/*
 * Runs programs as an image does, without Docker: from the bundle alone, in a read-only folder, under an account
 * without name and home, with the given environment, and a temporary folder as the only writable place.
 */

/** The Dockerfile's account. Only root can switch to it; other users are restricted by file modes already. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {};
const START_MS = 30_000;

export interface Images {
  run(image: ImageName, program: string, args: string[], environment: Record<string, string>): Container;
  /** Runs `node` with these arguments in the folder of the image, as a container runs its command. */
  runNode(image: ImageName, args: string[], environment: Record<string, string>): Container;
  leftBehind(): Promise<string[]>;
  close(): Promise<void>;
}

export interface Container {
  /** Address or name that the program printed. @throws Error with its output, if it ends before that */
  ready: Promise<string>;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  stop(): void;
  /** SIGKILL to the program and its children, as the kernel ends a container. */
  kill(): void;
}

/** Bundles the images into a folder outside of the repository, with a Node binary beside them. */
export const makeImages = async (names: readonly ImageName[]): Promise<Images> => {
  const folder = await mkdtemp(join(tmpdir(), 'evaluation-images-'));
  const running = new Map<number, Promise<unknown>>();
  const temporary = (name: string) => join(folder, 'tmp', name);
  // Programs lead process groups of their own, so they would survive this process.
  const killAll = (): void => {
    for (const pid of running.keys()) process.kill(-pid, 'SIGKILL');
  };
  process.once('exit', killAll);
  const close = async () => {
    killAll();
    await Promise.all(running.values());
    process.off('exit', killAll);
    await makeWritable(folder);
    await rm(folder, { recursive: true, force: true });
  };

  try {
    const node = join(folder, 'node');
    // Copy if a link fails: the other account may not be able to read the repository's Node.
    await link(process.execPath, node).catch(() => copyFile(process.execPath, node));
    for (const name of names) {
      if (RUN_BUNDLES === undefined) await bundle(name, join(folder, name));
      else await cp(await sharedBundle(RUN_BUNDLES, name), join(folder, name), { recursive: true });
      await eachBelow(join(folder, name), (path, isFolder) => chmod(path, isFolder ? 0o555 : 0o444));
      await mkdir(temporary(name), { recursive: true });
      if (ACCOUNT.uid !== undefined) await chown(temporary(name), ACCOUNT.uid, ACCOUNT.gid);
    }
    await chmod(folder, 0o755);
    const start = (
      image: ImageName,
      args: string[],
      cwd: string,
      environment: Record<string, string>,
    ): Container => {
      const child = spawn(node, args, {
        ...ACCOUNT,
        detached: true,
        cwd,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { TMPDIR: temporary(image), ...environment },
      });
      const output = { stdout: '', stderr: '' };
      const ready = Promise.withResolvers<string>();
      // A caller that only waits for the end must not fail by an unhandled rejection.
      ready.promise.catch(() => {});
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output.stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        output.stderr += text;
        const [, name] = /"msg":"ready ([^"]+)"/.exec(output.stderr) ?? [];
        if (name !== undefined) ready.resolve(name);
      });
      const late = setTimeout(() => ready.reject(new Error(`${image} is not ready`)), START_MS);
      const ended = once(child, 'close').then(() => {
        clearTimeout(late);
        if (child.pid !== undefined) running.delete(child.pid);
        ready.reject(new Error(`${image} ended with ${child.exitCode}: ${output.stdout}${output.stderr}`));
        return { code: child.exitCode, ...output };
      });
      if (child.pid !== undefined) running.set(child.pid, ended);
      return {
        ready: ready.promise,
        ended,
        stop: () => void child.kill('SIGTERM'),
        kill: () => {
          if (child.pid !== undefined && running.has(child.pid)) process.kill(-child.pid, 'SIGKILL');
        },
      };
    };
    return {
      run: (image, program, args, environment) =>
        start(image, [join(folder, image, program), ...args], '/', environment),
      runNode: (image, args, environment) => start(image, args, join(folder, image), environment),
      leftBehind: async () => (await Promise.all(names.map((name) => readdir(temporary(name))))).flat(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const makeWritable = (folder: string): Promise<void> =>
  eachBelow(folder, async (path, isFolder) => (isFolder ? chmod(path, 0o755) : undefined));

const eachBelow = async (
  folder: string,
  change: (path: string, isFolder: boolean) => Promise<void>,
): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await change(join(entry.parentPath, entry.name), entry.isDirectory());
  }
  await change(folder, true);
};
