import { createHash } from 'node:crypto'

/** Hexadecimal digits of each row's hash that are added up. */
const DIGITS = 15

/** Number of rows, and the sum of their hashes: equal for the same rows in any order. */
export interface RowSum {
  readonly rows: number
  /** Decimal digits. */
  readonly sum: string
}

/** Adds up the hashes of row texts. */
export class RowSummer {
  #rows = 0
  #sum = 0n

  add(texts: readonly string[]): void {
    for (const text of texts) {
      const hash = createHash('md5').update(text).digest('hex')
      this.#sum += BigInt(`0x${hash.slice(0, DIGITS)}`)
    }
    this.#rows += texts.length
  }

  result(): RowSum {
    return { rows: this.#rows, sum: String(this.#sum) }
  }
}

/** SQL of the same sum over the rows of a quoted table. It finds mistakes and damage, not forgeries. */
export function rowSumOf(table: string): string {
  return `select count(*)::int8 as rows, coalesce(sum(('x' || substr(md5(whole_row::text), 1, ${DIGITS}))::bit(60)::int8), 0)::text as sum
    from ${table} as whole_row`
}
