/** Rows that are encoded within a few milliseconds. */
export const CHUNK_ROWS = 500

/** Splits rows. Without rows there is one empty chunk, so that a file always has its columns. */
export function* chunksOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start === 0 || start < rows.length; start += CHUNK_ROWS)
    yield rows.slice(start, start + CHUNK_ROWS)
}
