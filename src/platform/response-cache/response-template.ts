/**
 * The members of a response that change each time it is served, as JSON.stringify writes them. JSON escapes quotation marks
 * in texts, so no text of a response can match.
 */
const SERVED_MEMBERS = /"data_freshness_seconds":(\d+)|"cache_hit":(?:false|true)/g

/** An age that is updated each time. */
interface Slot {
  readonly observedMs: number
  /** The text up to the age, UTF-8. */
  readonly before: Buffer
}

/**
 * Up to this many bytes a body is a text, which node:http sends together with the headers: 50 instead of 64 µs of CPU for
 * a response of 800 bytes.
 */
const MAX_TEXT_BYTES = 16 * 1024

/** A response rendered for an instant. */
export interface Rendering {
  /** UTF-8; must not be modified. */
  readonly bytes: Buffer
  /**
   * The body to send. A short body is a text with one character per byte (Latin-1): it needs no encoding, which a text with
   * other characters would.
   */
  readonly body: string | Buffer
}

/**
 * A cached response: its JSON with `cache_hit: true` and with gaps for the ages. `renderAt` fills them, at most once a second
 * for all requests.
 */
export class ResponseTemplate {
  readonly #slots: readonly Slot[]
  readonly #end: Buffer
  #rendering: Rendering | null = null
  #fromMs = 0
  #untilMs = 0

  private constructor(slots: readonly Slot[], end: Buffer) {
    this.#slots = slots
    this.#end = end
  }

  /**
   * The template of a response computed at `nowMs` with the ages of the instants in `observedMs`. Null if an age matches none
   * or several of them: it could not be updated correctly later.
   */
  static of(json: string, nowMs: number, observedMs: ReadonlySet<number>): ResponseTemplate | null {
    const slots: Slot[] = []
    let text = ''
    let at = 0
    for (const match of json.matchAll(SERVED_MEMBERS)) {
      const age = match[1]
      text += json.slice(at, match.index)
      at = match.index + match[0].length
      if (age === undefined) {
        text += '"cache_hit":true'
        continue
      }
      const fitting = [...observedMs].filter((observed) => ageOf(observed, nowMs) === Number(age))
      const [observed, ...others] = fitting
      if (observed === undefined || others.length > 0) return null
      slots.push({ observedMs: observed, before: Buffer.from(`${text}"data_freshness_seconds":`) })
      text = ''
    }
    return new ResponseTemplate(slots, Buffer.from(text + json.slice(at)))
  }

  /** Bytes of memory it takes, about: the parts and one rendering. */
  get size(): number {
    const bytes = this.#slots.reduce((sum, { before }) => sum + before.length, this.#end.length)
    return 2 * bytes + (bytes <= MAX_TEXT_BYTES ? bytes : 0)
  }

  renderAt(nowMs: number): Rendering {
    if (this.#rendering !== null && nowMs >= this.#fromMs && nowMs < this.#untilMs) return this.#rendering
    const parts: Buffer[] = []
    let untilMs = Number.POSITIVE_INFINITY
    for (const { observedMs, before } of this.#slots) {
      const age = ageOf(observedMs, nowMs)
      parts.push(before, Buffer.from(String(age)))
      untilMs = Math.min(untilMs, observedMs + (age + 1) * 1000)
    }
    this.#fromMs = nowMs
    this.#untilMs = untilMs
    const bytes = Buffer.concat([...parts, this.#end])
    this.#rendering = { bytes, body: bytes.length <= MAX_TEXT_BYTES ? bytes.toString('latin1') : bytes }
    return this.#rendering
  }
}

/** Whole seconds, never negative: as core/freshness.ts counts them. */
function ageOf(observedMs: number, nowMs: number): number {
  return Math.floor(Math.max(0, nowMs - observedMs) / 1000)
}
