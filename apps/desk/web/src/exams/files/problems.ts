/** A problem of a file; the line is the row of the spreadsheet, counted from 1 with the headings. */
export interface FileProblem {
  line: number;
  code:
    | 'not_a_table'
    | 'bad_quotes'
    | 'no_rows'
    | 'too_many_rows'
    | 'too_large'
    | 'no_text'
    | 'unreadable'
    | 'other_encoding'
    | 'no_column'
    | 'unknown_column'
    | 'repeated_column'
    | 'repeated'
    | 'looks_same'
    | 'empty'
    | 'surplus'
    | 'too_long'
    | 'bad_characters'
    | 'excel_error'
    | 'broken_text'
    | 'changed_number'
    | 'changed_date'
    | 'unknown_type'
    | 'unknown_option'
    | 'no_number'
    | 'bad_list'
    | 'not_json'
    | 'refused'
    | 'old_workbook'
    | 'bad_workbook'
    | 'several_sheets';
  /** Column, cell or value that the problem is about. */
  about?: string;
}
