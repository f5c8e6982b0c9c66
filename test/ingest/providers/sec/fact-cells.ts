/** A fact as the list of a tag and unit has it. */
export const CELLS = {
  start: '2024-01-29',
  end: '2025-01-26',
  val: 130_497_000_000,
  accn: '0001045810-25-000023',
  fy: 2025,
  fp: 'FY',
  form: '10-K',
  filed: '2025-02-26',
}
