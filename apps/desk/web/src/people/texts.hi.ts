import type { en } from './texts.en.ts';

export const hi: Readonly<Record<keyof typeof en, string>> = {
  'people.email': 'ई-मेल',
  'people.password': 'पासवर्ड',
  'people.showPassword': 'टाइप किया हुआ दिखाएँ या छिपाएँ',
  'people.signIn.title': 'मूल्यांकन डेस्क में साइन इन करें',
  'people.signIn.button': 'साइन इन करें',
  'people.signIn.wrong': 'ई-मेल पता या पासवर्ड ग़लत है।',
  'people.signIn.tooMany_one': 'बहुत बार कोशिश हो चुकी है। एक मिनट बाद फिर कोशिश करें।',
  'people.signIn.tooMany_other': 'बहुत बार कोशिश हो चुकी है। {{count}} मिनट बाद फिर कोशिश करें।',
};
