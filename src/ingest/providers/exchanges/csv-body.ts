import { BrokenCsv, type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import { BrokenBody } from '../../feed.js'

/** All records of a small CSV file. Throws BrokenBody if it is not CSV. */
export function readCsv(body: Uint8Array, onRead?: (fraction: number) => void): readonly CsvRecord[] {
  try {
    return [...csvRecords(body, onRead)]
  } catch (cause) {
    throw cause instanceof BrokenCsv ? new BrokenBody(cause.message, { cause }) : cause
  }
}
