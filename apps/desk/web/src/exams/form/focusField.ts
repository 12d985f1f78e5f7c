/*
 * Fields of the form have the path of their value in the request as their id, such as `questions[2].max_marks`, so that
 * a problem of the API leads to its field.
 */

const FOCUSABLE = 'input:not(:disabled), textarea:not(:disabled), button:not(:disabled)';

/**
 * Moves the focus to the field of a path. A path without a field of its own, such as `questions[2].answer[1]`, leads to
 * the nearest part of the form above it.
 * @returns false if there is none
 */
export const focusField = (path: string): boolean => {
  for (let part = path; part !== ''; part = part.replace(/(^|\.)[^.[]*$|\[\d+\]$/, '')) {
    const found = document.getElementById(part);
    if (found === null) continue;
    const target = found.matches(FOCUSABLE) ? found : found.querySelector<HTMLElement>(FOCUSABLE);
    target?.focus();
    return target !== null;
  }
  return false;
};
