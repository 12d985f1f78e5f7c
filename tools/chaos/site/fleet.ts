import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startBalancer } from '../../../tests/harness/balancer.ts';
import { startLink, type Link } from '../../../tests/harness/link.ts';
import { killPrograms, startProgram, type Program } from '../../../tests/harness/processes.ts';
import { APPS, membersOf, type App, type MemberName, type Sizes } from '../plan/plan.ts';
import { programsFromSource, type Programs } from './programs.ts';
import type { Servers } from './servers.ts';

/*
 * Facades, cores, workers and desks as processes, restarted like pods: a member that ended is started again at
 * once, and a balancer sends new connections to members that are ready.
 *
 *   starting ──ready──▶ serving ──killed, or ended by itself──▶ starting
 *                          └──replaced: the next process is ready first, then SIGTERM
 */

export interface Fleet {
  members: readonly MemberName[];
  facadeUrl: string;
  coreUrl: string;
  /** Address of the desk, without a slash at its end. */
  deskUrl: string;
  tokens: { public: string; control: string; actorSigningKey: string };
  links: Record<Exclude<App, 'worker'>, Link>;
  /** The member's process, once it is ready. @throws Error after two minutes */
  serving(name: MemberName): Promise<Program>;
  /**
   * Sends SIGKILL to the member's process.
   * @param keepsOne whether to kill only while the app can lose a process
   * @returns the killed process; null if it was not killed
   */
  kill(name: MemberName, keepsOne?: boolean): Promise<Program | null>;
  /**
   * Replaces the member's process; the new one is ready before the old one stops. @param settings for the new process
   * only
   */
  replace(name: MemberName, settings?: Record<string, string>): Promise<void>;
  /** Name of a worker's process in `runs.worker`. */
  workerName(program: Program): string;
  /** True if the member's app keeps a process that is ready when one is killed, or has only one and it is ready. */
  canLoseOne(name: MemberName): boolean;
  /** Workers that are ready, by their names in `runs.worker`. */
  servingWorkers(): Map<string, MemberName>;
  /** Ends of processes that no fault caused. */
  unexpected: string[];
  started(): number;
  /** Processes killed, by app. */
  kills: Record<App, number>;
  close(): Promise<void>;
}

interface Member {
  program: Program | null;
  /** Resolves when the starting process is ready. */
  next: Promise<void>;
  /** Pids of processes that the fleet ends on purpose. */
  ending: Set<number>;
}

const READY_MS = 120_000;
const RESTART_PAUSE_MS = 300;
const MOST_STARTS = 10;
const CLOCK = fileURLToPath(new URL('skewClock.ts', import.meta.url));
const NO_LIMIT =
  'key:reads:minute=100000000,institute:reads:second=100000000,key:writes:minute=100000000,key:upload_files:minute=100000000';

export const startFleet = async (
  servers: Servers,
  sizes: Sizes,
  settings: Record<string, string>,
  programs: Programs = programsFromSource,
): Promise<Fleet> => {
  const balancers = {
    facade: await startBalancer(),
    core: await startBalancer(),
    desk: await startBalancer(),
  };
  const linkTo = (app: keyof typeof balancers): Promise<Link> =>
    startLink(Number(new URL(balancers[app].url).port));
  const links = {
    facade: await linkTo('facade'),
    core: await linkTo('core'),
    desk: await linkTo('desk'),
  };
  const coreUrl = `http://127.0.0.1:${links.core.port}`;
  const tokens = { public: secret(), control: secret(), actorSigningKey: secret() };
  const temporary = join(servers.folder, 'temporary');
  await mkdir(temporary);
  const environment: Record<string, string> = {
    ...servers.environment,
    PORT: '0',
    CORE_PORT: '0',
    DESK_PORT: '0',
    CORE_URL: coreUrl,
    CORE_PUBLIC_TOKEN: tokens.public,
    CORE_GRADING_TOKEN: secret(),
    CORE_CONTROL_TOKEN: tokens.control,
    ACTOR_SIGNING_KEY: tokens.actorSigningKey,
    LOG_LEVEL: 'error',
    TMPDIR: temporary,
    MODEL_PREFLIGHT: 'off',
    MODEL_CALL_SECONDS: '5',
    RATE_LIMITS_STANDARD: NO_LIMIT,
    LINGER_SECONDS: '1',
    DRAIN_SECONDS: '2',
    ...settings,
  };
  const unexpected: string[] = [];
  let isClosing = false;
  let started = 0;
  const kills = { core: 0, facade: 0, worker: 0, desk: 0 };

  const startOne = async (name: MemberName, own: Record<string, string>): Promise<Program> => {
    const app = appOf(name);
    const program = await startProgram(
      app,
      { ...environment, NATS_URL: servers.natsUrlOf(app), ...own },
      () => {},
      programs(app),
    );
    started += 1;
    if (app !== 'worker') balancers[app].add(program.name);
    return program;
  };

  const members = new Map<MemberName, Member>();

  const leave = (name: MemberName, program: Program): void => {
    const app = appOf(name);
    if (app !== 'worker') balancers[app].remove(program.name);
  };

  /** Puts a ready process into its place, and starts another when it ends. */
  const watch = (name: MemberName, member: Member, program: Program): void => {
    member.program = program;
    void program.exited.then((code) => {
      if (member.program === program) {
        member.program = null;
        leave(name, program);
        if (!isClosing) member.next = restart(name, member);
      }
      if (!isClosing && !member.ending.delete(program.pid))
        unexpected.push(`${name} ended by itself with ${code}:\n${program.output()}`);
    });
  };

  /**
   * Starts a process until it is ready: it may end while another part is away, as in a cluster. @returns null while
   * closing
   */
  const startUntilReady = async (name: MemberName, own: Record<string, string>): Promise<Program | null> => {
    for (let tries = 1; !isClosing; tries += 1) {
      try {
        return await startOne(name, own);
      } catch (error) {
        if (tries === MOST_STARTS) unexpected.push(`${name} does not start: ${String(error)}`);
        await wait(RESTART_PAUSE_MS);
      }
    }
    return null;
  };

  const restart = async (name: MemberName, member: Member): Promise<void> => {
    const program = await startUntilReady(name, {});
    if (program !== null) watch(name, member, program);
  };

  const memberOf = (name: MemberName): Member => {
    const member = members.get(name);
    if (member === undefined) throw new Error(`no member ${name}`);
    return member;
  };

  const serving = async (name: MemberName): Promise<Program> => {
    const member = memberOf(name);
    const deadline = performance.now() + READY_MS;
    while (performance.now() < deadline) {
      await member.next;
      if (member.program !== null) return member.program;
      await wait(20);
    }
    throw new Error(`${name} is not ready`);
  };

  const canLoseOne = (name: MemberName): boolean => {
    const app = appOf(name);
    const ready = [...members].filter(
      ([other, { program, ending }]) => appOf(other) === app && program !== null && !ending.has(program.pid),
    );
    return ready.length >= Math.min(2, sizes[app]);
  };

  const close = async (): Promise<void> => {
    isClosing = true;
    await killPrograms();
    for (const link of Object.values(links)) await link.close();
    for (const balancer of Object.values(balancers)) await balancer.close();
  };

  try {
    // Core first: it makes the streams and the bucket.
    for (const apps of [['core'], ['facade', 'worker', 'desk']] as const) {
      await Promise.all(
        membersOf(sizes, apps).map(async (name) => {
          const member: Member = { program: null, next: Promise.resolve(), ending: new Set() };
          members.set(name, member);
          watch(name, member, await startOne(name, {}));
        }),
      );
    }
    return {
      members: membersOf(sizes),
      facadeUrl: `http://127.0.0.1:${links.facade.port}/v1`,
      coreUrl,
      deskUrl: `http://127.0.0.1:${links.desk.port}`,
      tokens,
      links,
      serving,
      kill: async (name, keepsOne = false) => {
        const program = await serving(name);
        const { ending } = memberOf(name);
        if (ending.has(program.pid) || (keepsOne && !canLoseOne(name))) return null;
        ending.add(program.pid);
        await program.kill();
        kills[appOf(name)] += 1;
        return program;
      },
      replace: async (name, own = {}) => {
        const old = await serving(name);
        const member = memberOf(name);
        const next = await startUntilReady(name, clockOf(own));
        if (next === null) return;
        // A kill during the start has already put another process into the place.
        const isStill = member.program === old;
        if (isStill) {
          watch(name, member, next);
          leave(name, old);
          member.ending.add(old.pid);
          old.signal('SIGTERM');
        } else {
          leave(name, next);
          next.signal('SIGTERM');
        }
        const code = await (isStill ? old : next).exited;
        if (isStill && code !== 0 && code !== null)
          unexpected.push(`${name} stopped with ${code}:\n${old.output()}`);
      },
      workerName,
      canLoseOne,
      servingWorkers: () =>
        new Map(
          [...members].flatMap(([name, { program, ending }]) =>
            appOf(name) === 'worker' && program !== null && !ending.has(program.pid)
              ? [[workerName(program), name] as const]
              : [],
          ),
        ),
      unexpected,
      started: () => started,
      kills,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const appOf = (name: MemberName): App => APPS.find((app) => name.startsWith(`${app}-`)) ?? 'worker';

const workerName = ({ pid }: Program): string => `${hostname()}/${pid}`;

const clockOf = (own: Record<string, string>): Record<string, string> =>
  'CHAOS_CLOCK_MS' in own ? { ...own, NODE_OPTIONS: `--import ${CLOCK}` } : own;

const secret = (): string => randomBytes(16).toString('hex');
