import { newKey } from '../../app/newKey.ts';
import type { ExamDraft } from './draft.ts';

/* Changes of the sections of a form. Sections have the order of the list. */

/** Adds an empty section. If no sections are declared yet, those that the questions name are declared before it. */
export const withSection = (draft: ExamDraft): ExamDraft => {
  const named = draft.questions.map(({ section }) => section.trim()).filter((name) => name !== '');
  const declared =
    draft.sections.length > 0 ? draft.sections : [...new Set(named)].map((name) => ({ key: newKey(), name }));
  return { ...draft, sections: [...declared, { key: newKey(), name: '' }] };
};

/** Renames a section. Its questions follow. */
export const renamed = (draft: ExamDraft, key: string, name: string): ExamDraft => {
  const before = draft.sections.find((section) => section.key === key)?.name ?? '';
  return {
    ...draft,
    sections: draft.sections.map((section) => (section.key === key ? { ...section, name } : section)),
    questions: draft.questions.map((question) =>
      before !== '' && question.section === before ? { ...question, section: name } : question,
    ),
  };
};

export const movedUp = (draft: ExamDraft, key: string): ExamDraft => {
  const at = draft.sections.findIndex((section) => section.key === key);
  const [section, above] = [draft.sections[at], draft.sections[at - 1]];
  if (section === undefined || above === undefined) return draft;
  return { ...draft, sections: draft.sections.toSpliced(at - 1, 2, section, above) };
};

/** Removes a section. Its questions keep its name, so the service reports each question whose section is missing. */
export const withoutSection = (draft: ExamDraft, key: string): ExamDraft => ({
  ...draft,
  sections: draft.sections.filter((section) => section.key !== key),
});
