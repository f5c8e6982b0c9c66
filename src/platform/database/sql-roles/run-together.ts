import type { Transaction } from '../database.js'

/** Runs all statements or none. Returns null on success, else the error. */
export async function runTogether(tx: Transaction, statements: readonly string[]): Promise<unknown> {
  await tx.script('SAVEPOINT before_statements')
  try {
    for (const text of statements) await tx.script(text)
    return null
  } catch (error) {
    await tx.script('ROLLBACK TO SAVEPOINT before_statements')
    return error
  }
}
