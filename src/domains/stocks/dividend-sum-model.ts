/**
 * SQL that is false for a dividend without a stated frequency if another source states the dividends of its ex-date: the
 * row without a frequency is their sum. `known` is true for the rows that count.
 */
export function isNotRepeated(row: string, known: (row: string) => string): string {
  return `(${row}.frequency <> 'unspecified' or not exists (
    select 1 from dividend as stated where stated.asset_id = ${row}.asset_id and stated.ex_date = ${row}.ex_date
      and stated.frequency <> 'unspecified' and not stated.is_withdrawn and ${known('stated')}))`
}
