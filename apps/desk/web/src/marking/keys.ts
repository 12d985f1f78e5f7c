import { useSyncExternalStore } from 'react';
import { useHotkeys } from 'react-hotkeys-hook';

/*
 * Keys of the marking screen. They are kept in this browser. They do nothing in text fields, and single keys can be
 * turned off (WCAG 2.1.4).
 */

export const ACTIONS = [
  'confirmAndNext',
  'confirm',
  'takeSuggestion',
  'next',
  'previous',
  'undo',
  'raise',
  'lower',
  'comment',
  'flag',
  'nextPage',
  'previousPage',
  'zoomIn',
  'zoomOut',
  'hideMarks',
  'inkTick',
  'inkCross',
  'inkText',
  'inkPen',
  'inkTakeBack',
  'help',
] as const;
export type Action = (typeof ACTIONS)[number];

const DEFAULTS: Readonly<Record<Action, string>> = {
  confirmAndNext: 'enter',
  confirm: 'c',
  takeSuggestion: 's',
  next: 'n',
  previous: 'p',
  undo: 'u',
  raise: 'k',
  lower: 'j',
  comment: 'm',
  flag: 'f',
  nextPage: 'pagedown',
  previousPage: 'pageup',
  zoomIn: '+',
  zoomOut: '-',
  hideMarks: 'h',
  inkTick: 't',
  inkCross: 'x',
  inkText: 'w',
  inkPen: 'd',
  inkTakeBack: 'z',
  help: '?',
};

interface KeySettings {
  keys: Readonly<Record<Action, string>>;
  isOn: boolean;
}

const STORAGE = 'evaluation-desk-keys';
const listeners = new Set<() => void>();

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const read = (): KeySettings => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE) ?? '{}');
    const keys = isRecord(kept) && isRecord(kept['keys']) ? kept['keys'] : {};
    const own = ACTIONS.map((action) => [action, keys[action]] as const).filter(
      (entry): entry is [Action, string] => typeof entry[1] === 'string' && entry[1] !== '',
    );
    // An action whose default key was given to another action has no key.
    const taken = new Set(own.map(([, key]) => key));
    const defaults = ACTIONS.map(
      (action) => [action, taken.has(DEFAULTS[action]) ? '' : DEFAULTS[action]] as const,
    );
    return {
      keys: { ...DEFAULTS, ...Object.fromEntries([...defaults, ...own]) },
      isOn: !(isRecord(kept) && kept['isOn'] === false),
    };
  } catch {
    return { keys: DEFAULTS, isOn: true };
  }
};

const newKeyStore = () => {
  let current = read();
  const change = (settings: KeySettings): void => {
    current = settings;
    localStorage.setItem(STORAGE, JSON.stringify(settings));
    for (const listener of listeners) listener();
  };
  return {
    current: () => current,
    rebind: (action: Action, key: string): void => {
      // A key has one action: if another action has the key, the two actions exchange their keys.
      const other = ACTIONS.find((each) => current.keys[each] === key && each !== action);
      const freed = other === undefined ? {} : { [other]: current.keys[action] };
      change({ ...current, keys: { ...current.keys, ...freed, [action]: key } });
    },
    turn: (isOn: boolean): void => change({ ...current, isOn }),
    reset: (): void => change({ keys: DEFAULTS, isOn: true }),
  };
};

/** The keys of this browser, for all parts of the page. */
export const keyStore = newKeyStore();

export const useKeySettings = (): KeySettings =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, keyStore.current);

const isInside = ({ target }: KeyboardEvent, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null;

/** True if the key was pressed in a dialog or a menu, which handles it. */
const isElsewhere = (event: KeyboardEvent): boolean =>
  isInside(event, 'dialog, [role="dialog"], [role="menu"], [role="listbox"]');
/** True if the key writes in a field of a number: digits, and the minus sign where the number may be negative. */
const writesNumber = ({ key, target }: KeyboardEvent): boolean =>
  target instanceof HTMLInputElement && (/^[\d.,]$/.test(key) || (key === '-' && !(Number(target.min) >= 0)));
/** Switches and radio buttons are fields too, but no text is written in them; in a field of a number, no letters. */
const isWriting = (event: KeyboardEvent): boolean =>
  isInside(
    event,
    'textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"], [type="number"])',
  ) ||
  (isInside(event, 'input[type="number"]') && writesNumber(event));
/** Enter presses a button and follows a link; in the field of the mark, it sends the form. */
const hasOwnMeaning = (event: KeyboardEvent): boolean =>
  isInside(event, 'button, a, summary, input[type="number"]');

/** Runs the handler with a digit that was pressed outside of a field. */
export const useDigits = (onDigit: (digit: string) => void): void => {
  const { keys, isOn } = useKeySettings();
  useHotkeys(
    '*',
    (event) => {
      const isOther = event.ctrlKey || event.metaKey || event.altKey || !/^\d$/.test(event.key);
      if (isOther || isElsewhere(event) || isWriting(event)) return;
      if (Object.values(keys).includes(event.key)) return;
      event.preventDefault();
      onDigit(event.key);
    },
    { enabled: isOn, enableOnFormTags: true, useKey: true },
    [onDigit, keys],
  );
};

/** Runs the handler with 1 to 9 when Shift and a digit of the upper row were pressed outside of a text. */
export const useShiftDigits = (onDigit: (digit: number) => void): void => {
  const { isOn } = useKeySettings();
  useHotkeys(
    '*',
    (event) => {
      const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
      if (digit === undefined || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isElsewhere(event) || isWriting(event)) return;
      event.preventDefault();
      onDigit(Number(digit));
    },
    { enabled: isOn, enableOnFormTags: true, useKey: true },
    [onDigit],
  );
};

/** Runs the handler of the action whose key was pressed. */
export const useActionKeys = (handlers: Partial<Record<Action, () => void>>): void => {
  const { keys, isOn } = useKeySettings();
  const actionOf = new Map(ACTIONS.map((action) => [keys[action], action]));
  useHotkeys(
    '*',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event) || isWriting(event)) return;
      const key = event.key.toLowerCase();
      const action = actionOf.get(key);
      if (action === undefined || (key === 'enter' && hasOwnMeaning(event))) return;
      const handler = handlers[action];
      if (handler === undefined) return;
      event.preventDefault();
      handler();
    },
    { enabled: isOn, enableOnFormTags: true, useKey: true },
    [handlers, keys],
  );
};
