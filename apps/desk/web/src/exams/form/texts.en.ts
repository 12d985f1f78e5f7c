/** Texts of sections, of changes by other people, and of problems of fields. */
export const en = {
  'exams.form.sections': 'Sections',
  'exams.form.sectionsHelp': 'Optional. Without sections here, the paper has those that the questions name.',
  'exams.form.sectionName': 'Section {{number}}',
  'exams.form.addSection': 'Add a section',
  'exams.form.removeSection': 'Remove section {{number}}',
  'exams.form.moveUp': 'Move up',
  'exams.form.moveSectionUp': 'Move up section {{number}}',
  'exams.form.choiceGroups': 'Choice groups',
  'exams.form.choiceGroupsHelp_one':
    'The file has {{count}} choice group. This service has no choice groups yet.',
  'exams.form.choiceGroupsHelp_other':
    'The file has {{count}} choice groups. This service has no choice groups yet.',
  'exams.form.removeChoiceGroups': 'Go on without choice groups',
  'exams.form.optionsName': 'Options',
  'exams.form.changed': 'Another person has changed this exam',
  'exams.form.changedHelp':
    'Nothing was saved. The form has these changes now, and yours. Look at it and save again.',
  'exams.form.changedByBoth': '{{place}}: you have changed it too, and the form keeps yours',
} as const;
