import type { en } from './texts.en.ts';

export const hi: Readonly<Record<keyof typeof en, string>> = {
  'exams.form.sections': 'खंड',
  'exams.form.sectionsHelp': 'वैकल्पिक। यहाँ खंड न हों, तो प्रश्न-पत्र में वही खंड होते हैं जो प्रश्नों में लिखे हैं।',
  'exams.form.sectionName': 'खंड {{number}}',
  'exams.form.addSection': 'खंड जोड़ें',
  'exams.form.removeSection': 'खंड {{number}} हटाएँ',
  'exams.form.moveUp': 'ऊपर करें',
  'exams.form.moveSectionUp': 'खंड {{number}} को ऊपर करें',
  'exams.form.choiceGroups': 'विकल्प-समूह',
  'exams.form.choiceGroupsHelp_one': 'फ़ाइल में {{count}} विकल्प-समूह है। इस सेवा में विकल्प-समूह अभी नहीं हैं।',
  'exams.form.choiceGroupsHelp_other': 'फ़ाइल में {{count}} विकल्प-समूह हैं। इस सेवा में विकल्प-समूह अभी नहीं हैं।',
  'exams.form.removeChoiceGroups': 'विकल्प-समूहों के बिना आगे बढ़ें',
  'exams.form.optionsName': 'विकल्प',
  'exams.form.changed': 'किसी और ने यह परीक्षा बदल दी है',
  'exams.form.changedHelp': 'कुछ भी सहेजा नहीं गया। फ़ॉर्म में अब ये बदलाव भी हैं और आपके भी। देखकर फिर सहेजें।',
  'exams.form.changedByBoth': '{{place}}: इसे आपने भी बदला है, फ़ॉर्म में आपका बदलाव रखा गया है',
};
