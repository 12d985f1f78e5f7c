/** The true content of a copy, from which the server answers like a perfect reader and examiner. */
export interface Truth {
  /** By SHA-256 (hex) of the page's JPEG as sent to the model. */
  pagesBySha256?: Record<string, PageTruth>;
  /** By page number, for images that are not known beforehand. */
  pagesByNumber?: Record<number, PageTruth>;
  /** By question number. Default: blocks go to the question with their label. */
  alignment?: Record<number, { page: number; block: number }[]>;
  /** By question label. */
  judgements?: Record<string, JudgementTruth>;
  /** Letters of a picture. Default: the server reads them (letterReader.ts). */
  letters?: string;
  /** Criteria for questions without a rubric, by label. Default: two criteria that share the marks. */
  rubrics?: Record<string, { name: string; marks: number }[]>;
}

export interface PageTruth {
  /** Edge of the image at which the top of the writing lies. Default top. */
  top?: 'top' | 'right' | 'bottom' | 'left';
  legibility?: number;
  language?: 'en' | 'other';
  blocks: {
    label?: string | null;
    text: string;
    continues?: boolean;
    crossedOut?: boolean;
    box?: Place;
  }[];
  /** Places of print. Default none. */
  printed?: Place[];
}

/** Fractions of the page. A type and not an interface, so that it is assignable to JSON. */
type Place = { x: number; y: number; width: number; height: number };

export interface JudgementTruth {
  /** Marks for each criterion in order. Default: its full marks. */
  awards?: number[];
  /** Objective questions: the chosen options or the written value. Default: read from the answer's text. */
  options?: string[];
  value?: string;
  status?: 'answered' | 'no_answer' | 'unclear';
  /** Default: the answer's first words. */
  evidence?: string | null;
  certainty?: 'certain' | 'likely' | 'unsure';
  feedback?: string;
  /** The model's report that the answer addresses its grader. Default false. */
  addressesGrader?: boolean;
}
