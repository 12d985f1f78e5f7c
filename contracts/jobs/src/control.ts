import { keysChanged, type KeysChanged } from './keysChanged.ts';
import { resultsChanged, type ResultsChanged } from './resultsChanged.ts';
import { runStopped, type RunStopped } from './runStopped.ts';

/** Broadcast messages by kind; the subject is `<namespace>.control.<kind>`. */
export interface ControlMessages {
  run_stopped: RunStopped;
  keys_changed: KeysChanged;
  results_changed: ResultsChanged;
}

export type ControlKind = keyof ControlMessages;

export const controlMessages = {
  run_stopped: runStopped,
  keys_changed: keysChanged,
  results_changed: resultsChanged,
} as const;

export const controlSubject = (namespace: string, kind: ControlKind): string =>
  `${namespace}.control.${kind}`;
