import type { CsvRecord } from './csv.js'

/** The header of a table: finds cells of its rows by the names of columns. */
export class CsvHeader<Column extends string> {
  readonly #places: ReadonlyMap<string, number>
  readonly #cells: number

  constructor(names: readonly string[]) {
    this.#places = new Map(names.map((name, place) => [name, place]))
    this.#cells = names.length
  }

  /** What is wrong with the table: which of the columns it lacks; null: none. */
  missing(columns: readonly Column[]): string | null {
    const missing = columns.filter((name) => !this.#places.has(name))
    return missing.length === 0 ? null : `the table has no column ${missing.join(', ')}`
  }

  /** The cell of a row; empty where it has none. */
  cell({ cells }: CsvRecord, column: Column): string {
    return cells[this.#places.get(column) ?? -1] ?? ''
  }

  /** The parts of a cell that lists values, empty ones left out. */
  list(record: CsvRecord, column: Column): readonly string[] {
    return this.cell(record, column)
      .split(';')
      .map((text) => text.trim())
      .filter((text) => text !== '')
  }

  /** Why a row does not fit the header; null: it does. */
  explain({ cells }: CsvRecord): string | null {
    return cells.length === this.#cells
      ? null
      : `has ${cells.length} cells where the header has ${this.#cells}`
  }
}
