/*
 * Which replicas of the facade there are, and who shares which window.
 *
 * State: of each replica since when it has a share (its own word, see `join`) and when it was last heard; of those that are gone, when
 * they went and who is their heir; whether our own link is up.
 * Changed by: messages of the others (`heard`, `went`), our own messages as they come back (`echo`), and time (`forget`).
 * Who shares a window follows from its start and that alone: those who had joined by then and were not gone yet. A replica
 * that is new is told of those that are gone, so all come to the same.
 *
 * When a replica dies without a word: it is forgotten after SILENCE_MS in which we heard ourselves and not it. What it had
 * left in the windows that were open is lost until they end; windows that open later are shared without it.
 * When NATS dies: nobody hears itself, so nobody is forgotten, and each keeps to its share: together they still keep the
 * limit. A replica that alone is cut off is forgotten by the others and goes on with its old share beside theirs.
 * When we die: nothing is stored, a restarted replica is a new one.
 */

export interface Gone {
  id: string;
  since: number;
  /** ms since 1970. */
  at: number;
  heir?: string | undefined;
}

export interface Presence {
  /** From when on it has a share; ms since 1970. */
  since: number;
  /** It admits nothing yet. */
  joining?: boolean | undefined;
}

export interface Replicas {
  readonly self: string;
  /** What it says of itself. */
  own(): Presence;
  /** Until then nothing is admitted and nothing given. */
  hasJoined(): boolean;
  /**
   * Whether somebody will have rights to give once we have joined, or we shall be the first. Of several that start together
   * the one with the lowest id is that: the others wait for it, or they would refuse what is well within a limit. Should it
   * die meanwhile, it is forgotten as any other.
   */
  mayJoin(): boolean;
  /**
   * The time to be greeted is over. Who has met nobody, or only others that are joining too and have higher ids, is the first
   * and has a share of all windows, those that are open included.
   */
  join(): void;
  /** Goes up whenever `sharing` or `estate` may have changed. */
  version(): number;
  /** @returns whether it was not known */
  heard(id: string, said: Presence, steadyMs: number): boolean;
  /** It says so itself (with an heir), or somebody has forgotten it. @returns whether that is news and we are the heir */
  went(gone: Gone): boolean;
  /** Our own message came back: the link is up. @returns whether it was down */
  echo(steadyMs: number): boolean;
  /** @param nowMs wall clock @returns whether one was forgotten that should be there */
  forget(steadyMs: number, nowMs: number): boolean;
  /** Who may inherit from us: one that has been there for so long that it knows all that we know. */
  heir(nowMs: number): string | undefined;
  /** The others that are there and have joined. */
  others(): readonly string[];
  gone(): readonly Gone[];
  isLinked(steadyMs: number): boolean;
  /** Who shares a window that starts then, in one order everywhere. */
  sharing(startMs: number): readonly string[];
  /** Whose rights we may use: our own first, then those of the replicas whose heir we are. */
  estate(): readonly string[];
}

/** Far more than a busy machine delays a sign of life, which comes every 500 ms. */
export const SILENCE_MS = 3_000;
/** A new replica's first message reaches the others well before the first window in which it has a share. */
export const JOIN_MS = 1_000;
/** As long as a window may be open in which it had a share, and a clock off. */
const REMEMBERED_MS = 120_000;

export const openReplicas = (self: string, nowMs: number): Replicas => {
  let since = nowMs + JOIN_MS;
  let joining = true;
  const known = new Map<string, Presence & { heardMs: number }>();
  const gone = new Map<string, Gone>();
  let others: readonly string[] = [];
  let estate: readonly string[] = [self];
  let version = 0;
  let echoMs = Number.NEGATIVE_INFINITY;
  let linkedMs = Number.NEGATIVE_INFINITY;

  const isLinked = (steadyMs: number): boolean => steadyMs - echoMs <= SILENCE_MS;

  const ownerOf = (id: string): string => {
    // As many steps as there are heirs: two that named each other as they left have no owner.
    let owner = id;
    for (let step = 0; step <= gone.size; step += 1) {
      const heir = gone.get(owner)?.heir;
      if (heir === undefined) return owner;
      owner = heir;
    }
    return '';
  };

  const settle = (): void => {
    version += 1;
    others = [...known]
      .filter(([, one]) => one.joining !== true)
      .map(([id]) => id)
      .toSorted();
    estate = [self, ...[...gone.keys()].filter((id) => ownerOf(id) === self)];
  };

  const isFirst = (): boolean => [...known].every(([id, one]) => one.joining === true && id > self);

  return {
    self,
    own: () => ({ since, ...(joining ? { joining } : {}) }),
    hasJoined: () => !joining,
    mayJoin: () => others.length > 0 || isFirst(),
    join() {
      joining = false;
      if (isFirst()) since = 0;
      settle();
    },
    isLinked,
    version: () => version,
    others: () => others,
    gone: () => [...gone.values()],
    estate: () => estate,
    heard(id, said, steadyMs) {
      // The last words of one that left are its last.
      if (gone.get(id)?.heir !== undefined) return false;
      const before = known.get(id);
      // It only goes down, so an earlier message that comes again changes nothing.
      const earliest = Math.min(said.since, before?.since ?? said.since);
      const isJoining = said.joining === true && before?.joining !== false;
      known.set(id, { since: earliest, joining: isJoining, heardMs: steadyMs });
      if (before?.since === earliest && before.joining === isJoining) return false;
      gone.delete(id);
      settle();
      return before === undefined;
    },
    went(one) {
      if (one.id === self || gone.has(one.id)) return false;
      // Forgotten by somebody who does not hear it, while we do.
      if (one.heir === undefined && known.has(one.id)) return false;
      known.delete(one.id);
      gone.set(one.id, one);
      settle();
      return one.heir === self;
    },
    echo(steadyMs) {
      const wasDown = !isLinked(steadyMs);
      // After an outage the others get as long as ever to be heard again.
      if (wasDown) linkedMs = steadyMs;
      echoMs = steadyMs;
      return wasDown;
    },
    forget(steadyMs, at) {
      let isForgotten = false;
      const old = [...gone.values()].filter((one) => at - one.at > REMEMBERED_MS);
      for (const { id } of old) gone.delete(id);
      if (isLinked(steadyMs)) {
        for (const [id, one] of known) {
          if (steadyMs - Math.max(one.heardMs, linkedMs) <= SILENCE_MS) continue;
          known.delete(id);
          gone.set(id, { id, since: one.since, at });
          isForgotten = true;
        }
      }
      if (isForgotten || old.length > 0) settle();
      return isForgotten;
    },
    heir: (at) => others.find((id) => (known.get(id)?.since ?? at) + SILENCE_MS + JOIN_MS <= at),
    sharing(startMs) {
      const there = since <= startMs ? [self] : [];
      for (const [id, one] of known) if (one.since <= startMs) there.push(id);
      for (const one of gone.values()) if (one.since <= startMs && startMs < one.at) there.push(one.id);
      return there.toSorted();
    },
  };
};
