import { useEffect, useRef } from 'react';
import type { ExamDraft } from './draft.ts';
import { isSameContent } from './sameContent.ts';

/*
 * Keeps the form of an exam in this browser while a person fills it in, apart from the forms of other people, so that
 * a click on another page, a reload or the end of the session loses nothing. It is removed when the form is saved or
 * discarded. Limits: two tabs with the same form keep the one that was changed last, and a browser keeps about five
 * million characters.
 */

/** Counts the changes of `ExamDraft` that make a kept form useless. */
const FORMAT = 1;

interface KeptForm {
  format: typeof FORMAT;
  draft: ExamDraft;
  /** The stored exam that the form began with, and its revision; null for a new exam. */
  from: { draft: ExamDraft; revision: string } | null;
}

const SAVE_AFTER_MS = 300;

/** @param name `new`, or the id of an exam */
export const formKey = (staffId: string, name: string): string => `evaluation-desk-form-${staffId}-${name}`;

/** Only this page writes the value, so a value of this format has its type. */
const isKeptForm = (value: unknown): value is KeptForm =>
  typeof value === 'object' && value !== null && 'format' in value && value.format === FORMAT;

export const readForm = (key: string): KeptForm | null => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isKeptForm(kept) ? kept : null;
  } catch {
    return null;
  }
};

/**
 * Keeps the form some time after each change, and at once when the page is left.
 * @param unchanged the form without anything to keep
 * @returns a function that forgets it
 */
export const useFormKeeping = (
  key: string,
  draft: ExamDraft,
  from: KeptForm['from'],
  unchanged: ExamDraft,
): (() => void) => {
  const isDone = useRef(false);
  const keep = useRef(() => {});
  useEffect(() => {
    keep.current = (): void => {
      if (isDone.current) return;
      const form: KeptForm = { format: FORMAT, draft, from };
      try {
        if (isSameContent(draft, unchanged)) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(form));
      } catch {
        // A browser that refuses storage keeps the form on the page only.
      }
    };
    const timer = setTimeout(keep.current, SAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [key, draft, from, unchanged]);
  useEffect(() => {
    const keepNow = (): void => keep.current();
    addEventListener('pagehide', keepNow);
    return () => {
      removeEventListener('pagehide', keepNow);
      keepNow();
    };
  }, []);
  return () => {
    isDone.current = true;
    localStorage.removeItem(key);
  };
};
