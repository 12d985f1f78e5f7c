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
  'exams.problem.required': 'This field is required.',
  'exams.problem.tooLong': 'This is too long.',
  'exams.problem.tooShort': 'This is too short.',
  'exams.problem.outOfRange': 'The number is too large or too small.',
  'exams.problem.invalidStep': 'The number has too many decimal places.',
  'exams.problem.invalidValue': 'This value is not possible here.',
  'exams.problem.invalidCharacters': 'This has characters that cannot be stored.',
  'exams.problem.duplicate': 'This occurs twice.',
  'exams.problem.notAllowed': 'This is not allowed here.',
  'exams.problem.unknownSection': 'There is no such section.',
  'exams.problem.unknownQuestion': 'The exam has no such question.',
  'exams.problem.unknownOption': 'The question has no such option.',
  'exams.problem.tooManySections': 'An exam has at most 20 sections.',
  'exams.problem.rubricMarksMismatch':
    'The marks of the criteria do not add up to the marks of the question.',
  'exams.problem.guidanceHasMarks': 'Guidance must not name marks. Use the field for marks.',
  'exams.problem.notAvailable': 'This is not available yet.',
  'exams.problem.externalRefTaken': 'Another exam has this reference.',
} as const;
