import { messages, type PGlite, protocol } from '@electric-sql/pglite'
import { LRUCache } from 'lru-cache'
import { outsideTransactions } from './outside-transactions.js'

/**
 * As on PostgreSQL (postgres-driver.ts). Beyond it the least recently used statement is closed. A plan takes 80 kB on
 * average, that of a partitioned table 260 kB.
 */
const MAX_NAMED = 256

type Parameters = readonly (string | null)[]
type Messages = readonly messages.BackendMessage[]

interface Column {
  readonly name: string
  readonly read: (text: string) => unknown
}

interface NamedStatement {
  readonly name: string
  readonly columns: readonly Column[]
}

/**
 * Statements outside transactions. Each is prepared under a name when it first runs: PGlite's `query` parses and plans it
 * each time, which takes longer than most reads, and sends its six messages one by one.
 */
export class NamedStatements {
  readonly #engine: PGlite
  /** Names to close with the next statement that is prepared. */
  #unused: string[] = []
  /** By text. */
  readonly #named = new LRUCache<string, NamedStatement>({
    max: MAX_NAMED,
    dispose: ({ name }) => this.#unused.push(name),
  })
  #prepared = 0

  constructor(engine: PGlite) {
    this.#engine = engine
  }

  /** Waits for the connection as PGlite's `query` does, and throws the same errors. `engine.parsers` read the values. */
  async rows(sql: string, parameters: Parameters): Promise<readonly unknown[]> {
    const answer = await outsideTransactions(this.#engine, () => this.#run(sql, parameters))
    return rowsOf(answer, { sql, parameters })
  }

  async #run(sql: string, parameters: Parameters): Promise<Answer> {
    const known = this.#named.get(sql)
    if (known !== undefined) {
      const received = await this.#send(execution(known.name, parameters))
      if (has(received, 'bindComplete')) return { received, columns: known.columns }
      // Nothing has run: the statement is gone, its table has changed, or a parameter is wrong and fails again.
      this.#named.delete(sql)
    }
    return this.#prepare(sql, parameters)
  }

  async #prepare(sql: string, parameters: Parameters): Promise<Answer> {
    const { close, parse, describe } = protocol.serialize
    this.#prepared += 1
    const name = `named_${this.#prepared}`
    const received = await this.#send([
      ...this.#unused.map((unused) => close({ type: 'S', name: unused })),
      parse({ name, text: sql }),
      describe({ type: 'S', name }),
      ...execution(name, parameters),
    ])
    this.#unused = []
    const columns = this.#columnsOf(received)
    if (has(received, 'parseComplete')) this.#named.set(sql, { name, columns })
    return { received, columns }
  }

  #columnsOf(received: Messages): readonly Column[] {
    const description = received.find((message) => message instanceof messages.RowDescriptionMessage)
    const fields = description?.fields ?? []
    return fields.map(({ name, dataTypeID }) => ({ name, read: this.#engine.parsers[dataTypeID] ?? asText }))
  }

  #send(sent: readonly Uint8Array[]): Promise<Messages> {
    // Errors are read from the messages: a thrown error would hide whether the statement had started.
    return this.#engine.execProtocolStream(Buffer.concat(sent), { throwOnError: false })
  }
}

interface Answer {
  readonly received: Messages
  readonly columns: readonly Column[]
}

const asText = (text: string) => text

/** Parameters as texts, which PostgreSQL reads by their types. After an error it skips what comes before Sync. */
function execution(name: string, parameters: Parameters): readonly Uint8Array[] {
  const { bind, execute, sync } = protocol.serialize
  return [bind({ statement: name, values: [...parameters] }), execute(), sync()]
}

function has(received: Messages, name: messages.MessageName): boolean {
  return received.some((message) => message.name === name)
}

function rowsOf(
  { received, columns }: Answer,
  { sql, parameters }: { readonly sql: string; readonly parameters: Parameters },
): readonly unknown[] {
  const rows: unknown[] = []
  for (const message of received) {
    if (message instanceof messages.DatabaseError)
      throw Object.assign(message, { query: sql, params: parameters }) // as PGlite's `query` does
    if (message instanceof messages.DataRowMessage) rows.push(rowOf(message.fields, columns))
  }
  return rows
}

function rowOf(texts: readonly (string | null)[], columns: readonly Column[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  columns.forEach(({ name, read }, index) => {
    const text = texts[index] ?? null
    row[name] = text === null ? null : read(text)
  })
  return row
}
