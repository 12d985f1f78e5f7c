import type { Engine } from './engine.ts';

/** Runs in the container, by its Node. Programs beside Node are listed. */
const LOOK = `
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const status = readFileSync('/proc/1/status', 'utf8');
const line = (name) => new RegExp('^' + name + ':\\\\s+(.*)$', 'm').exec(status)?.[1] ?? '';
let write = 'possible';
try { writeFileSync('/app/probe', ''); } catch (error) { write = error.code; }
const folders = ['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin'].filter(existsSync);
console.log(JSON.stringify({
  user: line('Uid').split(/\\s+/)[0] + ':' + line('Gid').split(/\\s+/)[0],
  capabilities: line('CapEff'),
  noNewPrivileges: line('NoNewPrivs'),
  first: readFileSync('/proc/1/cmdline', 'utf8').split('\\0')[0],
  write,
  extra: folders.flatMap((folder) => readdirSync(folder)).filter((name) => name !== 'node'),
}));`;

/** @returns what is wrong with the rights and the content of a running container */
export const looseEnds = async (engine: Engine, container: string): Promise<string[]> => {
  const found = await engine.docker(['exec', container, 'node', '--eval', LOOK]);
  const expected = {
    user: '10001:10001',
    capabilities: '0000000000000000',
    noNewPrivileges: '1',
    first: 'node',
    write: 'EROFS',
    extra: [],
  };
  return found === JSON.stringify(expected) ? [] : [`${container}: ${found}`];
};
