/** One event of an account's streams is made at a time, so that ten streams leave time for other requests. */
export class AccountMutex {
  /** The turn behind which the next one of an account begins. */
  readonly #last = new Map<string, Promise<void>>()

  /** Waits for the account's earlier turns, and gives the function that ends this one. */
  async acquire(account: string): Promise<() => void> {
    let end = () => {}
    const turn = new Promise<void>((resolve) => {
      end = resolve
    })
    const before = this.#last.get(account)
    this.#last.set(account, turn)
    await before
    return () => {
      if (this.#last.get(account) === turn) this.#last.delete(account)
      end()
    }
  }
}
