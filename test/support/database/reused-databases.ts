import type { Database } from '../../../src/platform/database/database.js'
import { type Contents, contentsOf, takenBack } from './world-contents.js'

/** How databases that hold one world are made, opened and removed. */
export interface WorldKeeper<Place> {
  make(): Promise<Place>
  open(place: Place): Promise<Database>
  /** Lets go of it when its test does. */
  leave(database: Database): Promise<void>
  remove(place: Place): Promise<void>
}

interface Idle<Place> {
  readonly place: Place
  readonly contents: Contents
}

/**
 * Databases of one world for the files of one worker, one after the other. Making and opening one takes as long as most
 * files do, so a database is handed on when all that its test has written could be taken back.
 */
export class ReusedDatabases<Place> {
  readonly #keeper: WorldKeeper<Place>
  #idle: Idle<Place> | null = null

  constructor(keeper: WorldKeeper<Place>) {
    this.#keeper = keeper
  }

  /** A database of the caller's own until it is closed. */
  async open(): Promise<Database> {
    const idle = this.#idle
    this.#idle = null
    const place = idle?.place ?? (await this.#keeper.make())
    const database = await this.#keeper.open(place)
    const contents = idle?.contents ?? (await contentsOf(database))
    return this.#handedOut(database, place, contents)
  }

  #handedOut(database: Database, place: Place, contents: Contents): Database {
    let closing: Promise<void> | null = null
    const base = database.statementCount()
    /** What a test leaves running must not reach the next one. */
    const whileOpen =
      <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        if (closing !== null) throw new Error('the database of the test is closed')
        return work(...given)
      }
    return {
      ...database,
      rows: whileOpen(database.rows),
      script: whileOpen(database.script),
      transaction: whileOpen(database.transaction),
      snapshot: whileOpen(database.snapshot),
      ping: whileOpen(database.ping),
      // What is kept in memory is kept for one test.
      identity: {},
      statementCount: () => database.statementCount() - base,
      close: () => (closing ??= this.#takeBack(database, place, contents)),
    }
  }

  async #takeBack(database: Database, place: Place, contents: Contents): Promise<void> {
    // A test may leave a database in any state.
    const after = await takenBack(database, contents).catch(() => null)
    await this.#keeper.leave(database)
    if (after !== null && this.#idle === null) this.#idle = { place, contents: after }
    else await this.#keeper.remove(place)
  }
}
