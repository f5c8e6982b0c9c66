import { BrokenBody } from '../../feed.js'
import type { CsvRecord } from './csv.js'

/** The header of a table. Finds the cells of a row by column name. */
export class CsvHeader<Column extends string> {
  readonly #places: ReadonlyMap<string, number>
  readonly #cells: number

  constructor(names: readonly string[]) {
    this.#places = new Map(names.map((name, place) => [name, place]))
    this.#cells = names.length
  }

  /** The header with these names. Throws BrokenBody if a column is missing. */
  static read<Column extends string>(names: readonly string[], required: readonly Column[]) {
    const header = new CsvHeader<Column>(names)
    const missing = header.missing(required)
    if (missing !== null) throw new BrokenBody(missing)
    return header
  }

  /** Names the columns that the table lacks; null if it has all. */
  missing(columns: readonly Column[]): string | null {
    const missing = columns.filter((name) => !this.#places.has(name))
    return missing.length === 0 ? null : `the table has no column ${missing.join(', ')}`
  }

  /** The cell of a row; empty if the row or the column is missing. */
  cell({ cells }: CsvRecord, column: Column): string {
    return cells[this.#places.get(column) ?? -1] ?? ''
  }

  /** The non-empty parts of a cell that lists values. */
  list(record: CsvRecord, column: Column): readonly string[] {
    return this.cell(record, column)
      .split(';')
      .map((text) => text.trim())
      .filter((text) => text !== '')
  }

  /** The cells of all other columns of a row. */
  otherCells({ cells }: CsvRecord, columns: readonly string[]): readonly string[] {
    const places = new Set(columns.map((name) => this.#places.get(name)))
    return cells.filter((cell, place) => cell !== '' && !places.has(place))
  }

  /** Why a row does not fit the header; null if it fits. */
  explain({ cells, wrong }: CsvRecord): string | null {
    if (wrong !== undefined) return wrong
    return cells.length === this.#cells
      ? null
      : `has ${cells.length} cells, but the header has ${this.#cells}`
  }
}
