import { randomUUID } from 'node:crypto';

/** Which institute a lane served last, for the begin of its turns while nothing is in flight. */
export interface LastServed {
  /** The institute of this process's last release; at first a random id, so that no institute is always the first. */
  of(lane: string): string;
  note(lane: string, released: readonly { institute_id: string }[]): void;
}

/** State: memory of the process. Each replica takes turns by its own releases. */
export const rememberLastServed = (): LastServed => {
  const served = new Map<string, string>();
  return {
    of: (lane) => served.get(lane) ?? randomUUID(),
    note: (lane, released) => {
      const last = released.at(-1);
      if (last !== undefined) served.set(lane, last.institute_id);
    },
  };
};
