/** Lets one event of an account's streams be computed at a time, so that ten streams leave time for other requests. */
export class AccountMutex {
  /** The newest holder or waiter of each account; resolves when it releases. */
  readonly #last = new Map<string, Promise<void>>()

  /** Waits for the earlier holders of the account. Returns the function that releases the mutex. */
  async acquire(account: string): Promise<() => void> {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const before = this.#last.get(account)
    this.#last.set(account, held)
    await before
    return () => {
      if (this.#last.get(account) === held) this.#last.delete(account)
      release()
    }
  }
}
