export const NOTICE =
  'The offline baseline is marking: it compares words and reads handwriting poorly, so every mark needs a teacher.';
