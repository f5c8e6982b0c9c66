import type { EventLoopBudget } from '../../../schema-kit/event-loop-budget.js'
import { answerTooLarge, MAX_ANSWER_BYTES } from '../plan/budget.js'

/** Data of an answer whose JSON is known. */
export class WrittenData {
  readonly #json: string;
  [member: string]: unknown

  constructor(json: string) {
    this.#json = json
  }

  get json(): string {
    return this.#json
  }

  toJSON(): unknown {
    return JSON.parse(this.#json)
  }
}

/** The JSON of an answer's data; `budget` for a large one. Throws a 422 where it is larger than an answer may be. */
export async function answerText(data: unknown, budget: EventLoopBudget | null): Promise<string> {
  if (data instanceof WrittenData) return data.json
  if (budget === null) return boundedText(JSON.stringify(data))
  const parts: string[] = []
  let bytes = 0
  for (const part of partsOf(data)) {
    parts.push(part)
    bytes += Buffer.byteLength(part)
    if (bytes > MAX_ANSWER_BYTES) throw answerTooLarge()
    const turn = budget.afterText(part.length)
    if (turn !== null) await turn
  }
  return parts.join('')
}

/** The text as it is; throws a 422 where it is larger than an answer may be. */
export function boundedText(text: string): string {
  // A character has at most three bytes, so few texts are counted.
  if (text.length * 3 > MAX_ANSWER_BYTES && Buffer.byteLength(text) > MAX_ANSWER_BYTES) throw answerTooLarge()
  return text
}

/** The text in parts of about one row, so that neither making nor counting it takes long at a time. */
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
    // As JSON.stringify has it.
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* partsOf(value)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

/** Objects of ours only: dates and the like write themselves. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isContainer(value) && !('toJSON' in value && typeof value.toJSON === 'function')
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
