import type { EventLoopBudget } from '../../../schema-kit/event-loop-budget.js'
import { answerTooLarge, MAX_ANSWER_BYTES } from '../plan/budget.js'

/** Response data whose JSON is already written. */
export class WrittenData {
  readonly #json: Buffer;
  [member: string]: unknown

  constructor(json: Buffer) {
    this.#json = json
  }

  get json(): Buffer {
    return this.#json
  }

  toJSON(): unknown {
    return JSON.parse(this.#json.toString())
  }
}

/** Writes the JSON of response data, with `budget` for a large one. Throws a 422 above MAX_ANSWER_BYTES. */
export async function answerText(data: unknown, budget: EventLoopBudget | null): Promise<string> {
  if (data instanceof WrittenData) return data.json.toString()
  if (budget === null) return boundedText(JSON.stringify(data))
  const parts: string[] = []
  let bytes = 0
  for (const part of partsOf(data)) {
    parts.push(part)
    bytes += Buffer.byteLength(part)
    if (bytes > MAX_ANSWER_BYTES) throw answerTooLarge()
    const nextTick = budget.afterText(part.length)
    if (nextTick !== null) await nextTick
  }
  return parts.join('')
}

/** Returns the text unchanged; throws a 422 above MAX_ANSWER_BYTES. */
export function boundedText(text: string): string {
  // A UTF-16 unit has at most three bytes in UTF-8, so only long texts must be measured.
  if (text.length * 3 > MAX_ANSWER_BYTES && Buffer.byteLength(text) > MAX_ANSWER_BYTES) throw answerTooLarge()
  return text
}

/** Splits the text into parts of about one row, so that writing and measuring one part is fast. */
function* partsOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* partsOfList(value)
  else if (isPlainObject(value) && Object.values(value).some(isContainer)) yield* partsOfObject(value)
  else yield JSON.stringify(value) ?? 'null'
}

function* partsOfList(list: readonly unknown[]): Generator<string> {
  let before = '['
  for (const element of list) {
    yield before
    yield* partsOf(element)
    before = ','
  }
  yield list.length === 0 ? '[]' : ']'
}

function* partsOfObject(object: Readonly<Record<string, unknown>>): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(object)) {
    // JSON.stringify omits undefined too.
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* partsOf(value)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

/** Plain objects only; dates and similar objects have toJSON. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isContainer(value) && !('toJSON' in value && typeof value.toJSON === 'function')
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
