import type { Transaction } from '../platform/database/database.js'

/** What a sink keeps from one batch of a run to the next: one value per transaction, let go with it. */
export function perTransaction<Value>(make: (tx: Transaction) => Value): (tx: Transaction) => Value {
  const values = new WeakMap<Transaction, Value>()
  return (tx) => {
    const value = values.get(tx) ?? make(tx)
    values.set(tx, value)
    return value
  }
}
