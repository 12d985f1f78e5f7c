/** The text of a field; empty if the form has no such field. */
export const textIn = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};
