import { useCallback, useState } from 'react';

/** With more questions, all begin closed: each has about ten fields, which take time to draw and to scroll past. */
const MOST_OPEN = 10;

const NONE: ReadonlySet<string> = new Set();

/** Which questions of the form are open. Those that came together, with the form or a file, begin alike. */
export const useOpenQuestions = (count: number) => {
  const [state, setState] = useState({ areOpen: count <= MOST_OPEN, others: NONE });
  const turn = (key: string, isOpen: (before: boolean) => boolean) =>
    setState(({ areOpen, others }) => {
      const wanted = isOpen(areOpen !== others.has(key));
      const rest = [...others].filter((other) => other !== key);
      return { areOpen, others: new Set(wanted === areOpen ? rest : [...rest, key]) };
    });
  return {
    areOpen: state.areOpen,
    isOpen: (key: string): boolean => state.areOpen !== state.others.has(key),
    toggle: useCallback((key: string) => turn(key, (before) => !before), []),
    open: useCallback((key: string) => turn(key, () => true), []),
    setAll: (areOpen: boolean) => setState({ areOpen, others: NONE }),
    /** Begins anew with other questions. */
    restart: (newCount: number) => setState({ areOpen: newCount <= MOST_OPEN, others: NONE }),
  };
};
