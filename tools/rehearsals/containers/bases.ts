import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from './engine.ts';

/*
 * Images of other projects that Dockerfile, docker-compose.yaml, the chart and the tests name. With `--published` they
 * are pulled. Else stand-ins are made under the same names from the same programs in packages: Node and npm from npm,
 * PostgreSQL 17 from Debian, nats-server and versitygw from Go modules. A stand-in has what the published image
 * documents (entry point, variables, health check) and nothing more.
 */

export const BUILD_BASE = 'answer-evaluation-rehearsal/node-build';
export const NODE_BASE = 'node:24.21.0-bookworm-slim';
const DEBIAN = 'answer-evaluation-rehearsal/debian';
export const POSTGRES = 'postgres:17.10';
export const NATS = 'nats:2.12.12-alpine';
export const S3 = 'ghcr.io/versity/versitygw:v1.8.0';
/** Names by which `TEST_SERVICES=containers` asks for them. */
const OF_TESTS: Record<string, string> = { [POSTGRES]: 'postgres:17', [NATS]: 'nats:2.12' };

type Say = (line: string) => void;

export const makeBases = async (engine: Engine, isPublished: boolean, say: Say): Promise<void> => {
  const makers = { [NODE_BASE]: makeNode, [POSTGRES]: makePostgres, [NATS]: makeNats, [S3]: makeS3 };
  for (const [image, make] of Object.entries(makers)) {
    if (!(await hasImage(engine, image))) {
      if (isPublished) await engine.docker(['pull', '--quiet', image]);
      else await inFolder((folder) => make(engine, folder, image));
      say(`${isPublished ? 'pulled' : 'made a stand-in of'} ${image}`);
    }
    const other = OF_TESTS[image];
    if (other !== undefined) await engine.docker(['tag', image, other]);
  }
  await inFolder((folder) => makeBuildBase(engine, folder));
};

const hasImage = (engine: Engine, image: string): Promise<boolean> =>
  engine.docker(['image', 'inspect', image]).then(
    () => true,
    () => false,
  );

const inFolder = async (work: (folder: string) => Promise<void>): Promise<void> => {
  // Not on a tmpfs: a Debian with PostgreSQL takes 700 MB.
  const folder = await mkdtemp('/var/tmp/answer-evaluation-base-');
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const build = async (
  engine: Engine,
  folder: string,
  image: string,
  lines: readonly string[],
): Promise<void> => {
  await writeFile(join(folder, 'Dockerfile'), `${lines.join('\n')}\n`);
  await engine.docker(['build', '--quiet', '--tag', image, folder]);
};

/** @returns the name of an image with a minimal Debian. Needs root and debootstrap */
const debian = async (engine: Engine, folder: string, suite: string, packages: string): Promise<string> => {
  const image = `${DEBIAN}:${suite}`;
  const root = join(folder, 'debian');
  const words = ['--variant=minbase', ...(packages === '' ? [] : [`--include=${packages}`]), suite, root];
  await engine.run('debootstrap', words);
  for (const path of ['var/lib/apt/lists', 'var/cache/apt'])
    await rm(join(root, path), { recursive: true, force: true });
  const archive = join(folder, 'debian.tar');
  await engine.run('tar', ['-C', root, '-cf', archive, '.']);
  await engine.docker(['import', archive, image]);
  await rm(root, { recursive: true });
  await rm(archive);
  return image;
};

const makeNode = async (engine: Engine, folder: string, image: string): Promise<void> => {
  const base = await debian(engine, folder, 'bookworm', '');
  const context = join(folder, 'context');
  await mkdir(context);
  await cp(process.execPath, join(context, 'node'), { dereference: true });
  const globals = await engine.run('npm', ['root', '--global']);
  await cp(join(globals, 'npm'), join(context, 'npm'), { recursive: true, dereference: true });
  await build(engine, context, image, [
    `FROM ${base}`,
    'COPY node /usr/local/bin/node',
    'COPY npm /usr/local/lib/node_modules/npm',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    'CMD ["node"]',
  ]);
};

/** Base of the stages that build: npm's registry of this machine, and the authority that it trusts besides Node's. */
const makeBuildBase = async (engine: Engine, folder: string): Promise<void> => {
  const registry = await engine.run('npm', ['config', 'get', 'registry']);
  const authority = process.env['NODE_EXTRA_CA_CERTS'];
  await writeFile(join(folder, 'ca.crt'), authority === undefined ? '' : await readFile(authority));
  await build(engine, folder, BUILD_BASE, [
    `FROM ${NODE_BASE}`,
    'COPY ca.crt /company-ca.crt',
    `ENV npm_config_registry=${registry}`,
    ...(authority === undefined ? [] : ['ENV NODE_EXTRA_CA_CERTS=/company-ca.crt']),
  ]);
};

const POSTGRES_START = `#!/bin/sh
set -e
data=/var/lib/postgresql/data
own() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -s "$data/PG_VERSION" ]; then
  chown postgres:postgres "$data"; chmod 700 "$data"
  echo "$POSTGRES_PASSWORD" > /tmp/password; chown postgres /tmp/password
  own initdb --pgdata "$data" --auth-local trust --auth-host scram-sha-256 --pwfile /tmp/password; rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
  own pg_ctl --pgdata "$data" --options "-c listen_addresses=''" --wait start
  for file in /docker-entrypoint-initdb.d/*; do [ ! -f "$file" ] || own psql --set ON_ERROR_STOP=1 --file "$file"; done
  own pg_ctl --pgdata "$data" --mode fast --wait stop
fi
[ "$1" != postgres ] || shift
exec setpriv --reuid=postgres --regid=postgres --clear-groups postgres -D "$data" -c listen_addresses='*' "$@"
`;

const makePostgres = async (engine: Engine, folder: string, image: string): Promise<void> => {
  const base = await debian(engine, folder, 'trixie', 'postgresql-17');
  await writeFile(join(folder, 'start'), POSTGRES_START, { mode: 0o755 });
  await build(engine, folder, image, [
    `FROM ${base}`,
    'RUN rm -rf /var/lib/postgresql/* && mkdir -p /var/lib/postgresql/data /docker-entrypoint-initdb.d' +
      ' && chown postgres /run/postgresql /var/lib/postgresql/data',
    'ENV PATH=/usr/lib/postgresql/17/bin:/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8',
    'COPY start /usr/local/bin/start',
    'VOLUME /var/lib/postgresql/data',
    'STOPSIGNAL SIGINT',
    'EXPOSE 5432',
    'ENTRYPOINT ["start"]',
    'CMD ["postgres"]',
  ]);
};

/** A program of a Go module beside busybox, which the published images have from Alpine. */
const makeGo = async (
  engine: Engine,
  folder: string,
  image: string,
  { module, start }: { module: string; start: readonly string[] },
): Promise<void> => {
  await mkdir(join(folder, 'bin'));
  await engine.run('go', ['install', '-ldflags', '-s -w', module], {
    environment: { GOBIN: join(folder, 'bin'), CGO_ENABLED: '0' },
  });
  const busybox = await engine.run('sh', ['-c', 'command -v busybox']);
  await cp(busybox, join(folder, 'bin', 'busybox'), { dereference: true });
  await build(engine, folder, image, [
    'FROM scratch',
    'COPY bin /usr/bin',
    'RUN ["/usr/bin/busybox", "mkdir", "-p", "/bin", "/data", "/tmp"]',
    'RUN ["/usr/bin/busybox", "--install", "-s", "/bin"]',
    ...start,
  ]);
};

const makeNats = (engine: Engine, folder: string, image: string): Promise<void> =>
  makeGo(engine, folder, image, {
    module: 'github.com/nats-io/nats-server/v2@v2.12.12',
    start: ['EXPOSE 4222 8222', 'ENTRYPOINT ["nats-server"]'],
  });

const makeS3 = async (engine: Engine, folder: string, image: string): Promise<void> =>
  makeGo(engine, folder, image, {
    module: 'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
    start: ['ENTRYPOINT ["/bin/sh", "-c", "exec versitygw $VGW_BACKEND $VGW_BACKEND_ARG"]'],
  });

/** @returns the programs that are missing to make what is missing */
export const missingPrograms = async (engine: Engine): Promise<string[]> => {
  const missing: string[] = [];
  for (const program of ['debootstrap', 'go', 'busybox', 'tar', 'npm'])
    await engine.run('sh', ['-c', `command -v ${program}`]).catch(() => missing.push(program));
  return missing;
};
