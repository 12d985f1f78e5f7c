import { keysChanged, type KeysChanged } from './keysChanged.ts';
import { runStopped, type RunStopped } from './runStopped.ts';

/** What is broadcast, by kind; the subject is `<namespace>.control.<kind>`. */
export interface ControlMessages {
  run_stopped: RunStopped;
  keys_changed: KeysChanged;
}

export type ControlKind = keyof ControlMessages;

export const controlMessages = {
  run_stopped: runStopped,
  keys_changed: keysChanged,
} as const;

/** The subject of a kind of control message. */
export function controlSubject(namespace: string, kind: ControlKind): string {
  return `${namespace}.control.${kind}`;
}
