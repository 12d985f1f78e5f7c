/*
 * The code on a cover page. Its text names the exam and the candidate, so that a sheet of another exam is seen. A cover
 * without a candidate separates copies, and its roll number is read by a person.
 */

export interface Cover {
  exam_id: string;
  candidate_id: string | null;
}

const PREFIX = 'evaluation-cover';
const IS_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const textOfCover = ({ exam_id, candidate_id }: Cover): string =>
  [PREFIX, exam_id, candidate_id ?? ''].join(':');

/** Null for the text of any other code, such as one that a publisher has printed. */
export const readCover = (text: string): Cover | null => {
  const [prefix, exam = '', candidate = '', ...rest] = text.split(':');
  const isCover = prefix === PREFIX && rest.length === 0 && IS_UUID.test(exam);
  if (!isCover || (candidate !== '' && !IS_UUID.test(candidate))) return null;
  return { exam_id: exam, candidate_id: candidate === '' ? null : candidate };
};
