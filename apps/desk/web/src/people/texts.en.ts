export const en = {
  'people.email': 'E-mail',
  'people.password': 'Password',
  'people.showPassword': 'Show or hide what you typed',
  'people.signIn.title': 'Sign in to the evaluation desk',
  'people.signIn.button': 'Sign in',
  'people.signIn.wrong': 'The e-mail address or the password is wrong.',
  'people.signIn.tooMany_one': 'There were too many attempts. Try again in a minute.',
  'people.signIn.tooMany_other': 'There were too many attempts. Try again in {{count}} minutes.',
} as const;
