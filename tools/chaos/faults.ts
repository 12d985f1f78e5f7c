import { setTimeout as wait } from 'node:timers/promises';
import type { Link } from '../../tests/harness/link.ts';
import type { Program } from '../../tests/harness/processes.ts';
import type { Recovery } from './invariants/recovery.ts';
import type { Moods } from './model/moods.ts';
import { type Fault, type LinkName, type MemberName } from './plan/plan.ts';
import type { Fleet } from './site/fleet.ts';
import type { Servers } from './site/servers.ts';

export interface Stage {
  servers: Servers;
  fleet: Fleet;
  moods: Moods;
  recovery: Recovery;
  /** Whether a kill waits until its app keeps another process that is ready. */
  keepsOne: boolean;
  isOver(): boolean;
}

/** Makes one fault happen. @returns when it is over and repaired */
export const causeFault = async (stage: Stage, fault: Fault): Promise<void> => {
  const { servers, fleet, moods, recovery } = stage;
  switch (fault.kind) {
    case 'kill': {
      const isWorker = fault.member.startsWith('worker');
      let killed: Program | null = null;
      do {
        if (stage.keepsOne && !(await untilSpare(stage, fault.member))) return;
        const member = isWorker ? await workerToKill(stage, fault.member) : fault.member;
        killed = await fleet.kill(member, stage.keepsOne);
        if (killed !== null || !stage.keepsOne) break;
        // Another kill came first. Without a pause this loop would block the event that reports the end of its process.
        await wait(SPARE_LOOK_MS);
      } while (!stage.isOver());
      if (isWorker && killed !== null) await recovery.watch(fleet.workerName(killed));
      return;
    }
    case 'stop': {
      const program = await fleet.serving(fault.member);
      signalIfAlive(program.pid, 'SIGSTOP');
      await wait(fault.ms);
      signalIfAlive(program.pid, 'SIGCONT');
      return;
    }
    case 'skew':
      return fleet.replace(fault.member, { CHAOS_CLOCK_MS: String(fault.ms) });
    case 'roll':
      for (const member of fleet.members) await fleet.replace(member);
      return;
    case 'drop': {
      const link = linkOf(stage, fault.link);
      link.drop();
      await wait(fault.ms);
      return link.restore();
    }
    case 'delay': {
      const link = linkOf(stage, fault.link);
      link.delay(fault.byMs);
      await wait(fault.ms);
      return link.restore();
    }
    case 'delete_streams':
      return servers.deleteStreams();
    case 'empty_nats':
      return servers.emptyNats();
    case 'kill_postgres':
      return servers.killPostgres();
    case 'full_store':
      servers.store.setFull(true);
      await wait(fault.ms);
      return servers.store.setFull(false);
    case 'model':
      moods.feel(fault.mood);
      await wait(fault.ms);
      return moods.recover();
  }
};

const SPARE_LOOK_MS = 50;

/** @returns false if the run was over first */
const untilSpare = async ({ fleet, isOver }: Stage, member: MemberName): Promise<boolean> => {
  while (!fleet.canLoseOne(member)) {
    if (isOver()) return false;
    await wait(SPARE_LOOK_MS);
  }
  return true;
};

/** @returns the worker with the most claimed runs; `planned` if no worker has one */
const workerToKill = async ({ fleet, servers }: Stage, planned: MemberName): Promise<MemberName> => {
  const rows = await servers.observer.query<{ worker: string }>(
    `select worker from runs where status = 'claimed' group by worker order by count(*) desc`,
  );
  const serving = fleet.servingWorkers();
  for (const { worker } of rows) {
    const member = serving.get(worker);
    if (member !== undefined) return member;
  }
  return planned;
};

const linkOf = ({ servers, fleet }: Stage, name: LinkName): Link =>
  ({ ...servers.links, ...fleet.links })[name];

const signalIfAlive = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};
