/** Pause before counters that Redis did not answer for are tried again. */
const RETRY_MS = 500

/** Slots that are tried at the same time. While none of them is back, the others wait for the next round. */
const AT_ONCE = 256

/** Counters that can be lost and come back. */
interface Recoverable {
  /** Whether Redis counts. */
  readonly isUp: boolean
  /** Tries to count in Redis again. Never rejects. */
  recover(): Promise<void>
}

/** Tries the lost slots again until all are back, so that a lost server with thousands of slots costs little. */
export class SlotRecovery {
  /** In the order in which they are tried. */
  readonly #lost = new Set<Recoverable>()
  readonly #onAllBack: () => void
  #timer: NodeJS.Timeout | null = null
  #isRunning = false
  /** Whether `run` was called while it ran. */
  #isDue = false

  /** `onAllBack` is called when the last lost slot is back. */
  constructor(onAllBack: () => void) {
    this.#onAllBack = onAllBack
  }

  get lostCount(): number {
    return this.#lost.size
  }

  add(slot: Recoverable): void {
    this.#lost.add(slot)
    this.#schedule()
  }

  /** Rounds follow at once as long as a slot comes back in each. */
  async run(): Promise<void> {
    this.#isDue = this.#isRunning
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      for (let left = this.#lost.size; left > 0; ) {
        const round = [...this.#lost].slice(0, AT_ONCE)
        const back = await Promise.all(round.map((slot) => this.#try(slot)))
        left -= round.length
        if (!back.includes(true)) break
      }
    } finally {
      this.#isRunning = false
    }
    if (this.#lost.size === 0) return
    if (this.#isDue) void this.run()
    else this.#schedule()
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#lost.clear()
  }

  async #try(slot: Recoverable): Promise<boolean> {
    await slot.recover()
    // Read here and not in `recover`: the slot may be lost again in between.
    const { isUp } = slot
    if (!this.#lost.delete(slot)) return isUp
    if (!isUp) this.#lost.add(slot)
    else if (this.#lost.size === 0) this.#onAllBack()
    return isUp
  }

  #schedule(): void {
    if (this.#timer !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      void this.run()
    }, RETRY_MS)
    this.#timer.unref()
  }
}
