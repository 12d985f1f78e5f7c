/** What a test says is true of a copy; the server then answers as a perfect reader and examiner would. */
export interface Truth {
  /** By the SHA-256 (hex) of the page's JPEG as the model gets it. */
  pagesBySha256?: Record<string, PageTruth>;
  /** By page number, where the image is not known beforehand. */
  pagesByNumber?: Record<number, PageTruth>;
  /** By question number; where it is left out, blocks go to the question whose label they carry. */
  alignment?: Record<number, { page: number; block: number }[]>;
  /** By question label. */
  judgements?: Record<string, JudgementTruth>;
  /** What a picture of letters says; the server reads it itself. */
  letters?: string;
  /** By question label: the criteria of a question that has none. Default: two that share the marks. */
  rubrics?: Record<string, { name: string; marks: number }[]>;
}

export interface PageTruth {
  /** The edge of the image where the top of the writing is. Default top. */
  top?: 'top' | 'right' | 'bottom' | 'left';
  /** Default 1. */
  legibility?: number;
  /** Default en. */
  language?: 'en' | 'other';
  blocks: {
    label?: string | null;
    text: string;
    continues?: boolean;
    crossedOut?: boolean;
    box?: { x: number; y: number; width: number; height: number };
  }[];
}

export interface JudgementTruth {
  /** Marks for each criterion in order; default its full marks. */
  awards?: number[];
  /** Objective questions: what the candidate chose, or wrote. Default: what the answer's text says. */
  options?: string[];
  value?: string;
  status?: 'answered' | 'no_answer' | 'unclear';
  /** Default: the answer's first words. */
  evidence?: string | null;
  /** Default certain. */
  certainty?: 'certain' | 'likely' | 'unsure';
  feedback?: string;
  /** What it says of an answer that speaks to its grader. Default false. */
  addressesGrader?: boolean;
}
