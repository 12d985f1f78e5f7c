import { seededRandom } from '../../../tests/harness/seededRandom.ts';

/** Which faults happen when: a pure function of the seed, so that a seed repeats the plan of a run. */

export const APPS = ['core', 'facade', 'worker', 'desk'] as const;
export type App = (typeof APPS)[number];
export type MemberName = `${App}-${number}`;

/** Processes of each app that run at once. */
export type Sizes = Readonly<Record<App, number>>;

export const membersOf = (sizes: Sizes, apps: readonly App[] = APPS): MemberName[] =>
  apps.flatMap((app) => Array.from({ length: sizes[app] }, (_, index): MemberName => `${app}-${index + 1}`));

const LINKS = ['facade', 'core', 'desk', 'postgres', 'nats', 's3', 'model'] as const;
export type LinkName = (typeof LINKS)[number];

const MOODS = ['slow', 'busy', 'down', 'wrong', 'mad'] as const;
export type Mood = (typeof MOODS)[number];

export type Fault =
  /** SIGKILL. If the member is a worker without a claimed run, a worker with one is killed instead. */
  | { kind: 'kill'; member: MemberName }
  /** SIGSTOP, and SIGCONT after `ms`. */
  | { kind: 'stop'; member: MemberName; ms: number }
  /** Replaces a process by one whose clock is wrong by `ms`; the new process is ready before the old one stops. */
  | { kind: 'skew'; member: MemberName; ms: number }
  | { kind: 'roll' }
  | { kind: 'drop'; link: LinkName; ms: number }
  | { kind: 'delay'; link: LinkName; ms: number; byMs: number }
  | { kind: 'delete_streams' }
  /** nats-server is killed and starts again with an empty store. */
  | { kind: 'empty_nats' }
  | { kind: 'kill_postgres' }
  | { kind: 'full_store'; ms: number }
  | { kind: 'model'; mood: Mood; ms: number };

export interface PlannedFault {
  /** Milliseconds after the start of the run. */
  at: number;
  fault: Fault;
}

export interface PlanOptions {
  seed: number;
  minutes: number;
  /** Kills of processes a minute, on average. */
  killsPerMinute: number;
  sizes: Sizes;
  /** `kills`: no other faults. */
  faults: 'all' | 'kills';
}

/** Faults a minute, on average, besides kills. */
const OTHERS_PER_MINUTE = 18;

/** Relative frequency of kills by app. */
const KILLED: Sizes = { core: 2, facade: 1, worker: 4, desk: 1 };

/** Relative frequency of each kind of fault besides kills. */
const WEIGHTS: Readonly<Record<Exclude<Fault['kind'], 'kill'>, number>> = {
  stop: 4,
  skew: 1,
  roll: 0.5,
  drop: 5,
  delay: 3,
  delete_streams: 1,
  empty_nats: 1,
  kill_postgres: 1,
  full_store: 1,
  model: 4,
};

/** A worker may be stopped for longer than its lease. Clients would notice such a stop of any other part. */
const LONGEST_STOP_MS = { worker: 14_000, other: 4_000 };

export const planOf = ({ seed, minutes, killsPerMinute, sizes, faults }: PlanOptions): PlannedFault[] => {
  const random = seededRandom(seed);
  const between = (low: number, high: number): number => Math.round(low + random() * (high - low));
  const pick = <T>(items: readonly T[]): T => {
    const picked = items[Math.floor(random() * items.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  };
  const members = membersOf(sizes);
  const killedApps = APPS.flatMap((app) => Array.from({ length: KILLED[app] }, () => app));
  /** Each kind once in random order, so that a short run has most of them; then by weight. */
  const tour = Object.keys(WEIGHTS)
    .filter(isOtherKind)
    .map((kind) => ({ kind, place: random() }))
    .toSorted((a, b) => a.place - b.place);
  const pickKind = (): Exclude<Fault['kind'], 'kill'> => {
    const next = tour.shift();
    if (next !== undefined) return next.kind;
    let left = random() * Object.values(WEIGHTS).reduce((sum, weight) => sum + weight, 0);
    for (const [kind, weight] of Object.entries(WEIGHTS)) {
      left -= weight;
      if (left < 0 && isOtherKind(kind)) return kind;
    }
    return 'stop';
  };
  const other = (): Fault => {
    const kind = pickKind();
    switch (kind) {
      case 'stop': {
        const member = pick(members);
        const longest = member.startsWith('worker') ? LONGEST_STOP_MS.worker : LONGEST_STOP_MS.other;
        return { kind, member, ms: between(200, longest) };
      }
      case 'skew':
        return { kind, member: pick(members), ms: between(-20_000, 20_000) };
      case 'drop':
        return { kind, link: pick(LINKS), ms: between(50, 3_000) };
      case 'delay':
        return { kind, link: pick(LINKS), ms: between(1_000, 6_000), byMs: between(10, 120) };
      case 'full_store':
        return { kind, ms: between(500, 5_000) };
      case 'model':
        return { kind, mood: pick(MOODS), ms: between(1_000, 8_000) };
      default:
        return { kind };
    }
  };
  const everyMs = (perMinute: number): number => (-Math.log(1 - random()) * 60_000) / perMinute;
  const plan: PlannedFault[] = [];
  const fill = (perMinute: number, next: () => Fault): void => {
    if (perMinute <= 0) return;
    for (let at = everyMs(perMinute); at < minutes * 60_000; at += everyMs(perMinute))
      plan.push({ at: Math.round(at), fault: next() });
  };
  fill(killsPerMinute, () => ({ kind: 'kill', member: pick(membersOf(sizes, [pick(killedApps)])) }));
  if (faults === 'all') fill(OTHERS_PER_MINUTE, other);
  return plan.toSorted((a, b) => a.at - b.at);
};

const isOtherKind = (kind: string): kind is keyof typeof WEIGHTS => kind in WEIGHTS;

export const lineOf = ({ at, fault }: PlannedFault): string => {
  const { kind, ...rest } = fault;
  const details = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return [`${(at / 1000).toFixed(1).padStart(7)} s`, kind, ...details].join('  ');
};
