import { type DecimalText, decimal } from '../../../core/decimal.js'
import { toIsoDate } from '../../../core/time.js'
import type { Protocol, ProtocolFact } from '../../../domains/protocols/model.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { isJsonObject, isList, type Json, type JsonObject, shown } from '../../bodies/json/json-body.js'
import { jsonElements } from '../../bodies/json/json-stream.js'
import { onceOrNever } from '../../bodies/once-or-never.js'
import { named, type Read, readOn } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import type { ParseContext, Parsed } from '../../feed.js'

/** Parses the figures of an entry; null if it has none. */
export type FiguresOf = (entry: JsonObject) => Read<Pick<ProtocolFact, 'tvl' | 'economics'> | null>

/**
 * Reads the entries of a list of protocols, each protocol at most once. `member`: the name of the list in the body;
 * null if the body is the list.
 */
export async function* protocolFacts(
  body: AsyncIterable<Uint8Array>,
  { member, figuresOf }: { readonly member: string | null; readonly figuresOf: FiguresOf },
  { now, onAbsent }: ParseContext,
): AsyncGenerator<Parsed<ProtocolFact>> {
  const seen = new DuplicateRows()
  const snapshotDate = toIsoDate(now)
  for await (const { number, value, duplicate } of jsonElements(body, member)) {
    const protocol = readProtocol(value)
    const name = 'wrong' in protocol ? '' : `, ${protocol.value.protocolId}`
    const position = `entry ${number}${name}`
    const rejected = (reason: string) => ({ kind: 'rejected', position, reason }) as const
    if ('wrong' in protocol) yield rejected(protocol.wrong)
    else if (duplicate !== null) yield rejected(`has ${duplicate} twice`)
    else {
      const figures = isJsonObject(value) ? figuresOf(value) : { wrong: 'is not an object' }
      if ('wrong' in figures) yield rejected(figures.wrong)
      else if (figures.value === null) onAbsent()
      else {
        const row = { protocol: protocol.value, snapshotDate, ...figures.value }
        yield* onceOrNever<ProtocolFact>(seen, row, {
          position,
          name: protocol.value.protocolId,
          keyOf: protocolIdOf,
          onAbsent,
        })
      }
    }
  }
}

function protocolIdOf({ protocol }: ProtocolFact): string {
  return protocol.protocolId
}

/** A longer text is not the name of a protocol. */
const MAX_LENGTH = 100

function readProtocol(entry: Json): Read<Protocol> {
  if (!isJsonObject(entry)) return { wrong: `is ${shown(entry)}, not an object` }
  const name = nameIn(entry, 'name')
  if (name === null) return { wrong: `has no name: ${shown(entry.get('name'))}` }
  const protocolId = nameIn(entry, 'slug') ?? slugOf(name)
  if (/[\s/\p{C}]/u.test(protocolId)) return { wrong: `the slug ${shown(protocolId)} has blanks` }
  const chains = entry.get('chains')
  const names = isList(chains) ? chains.filter((chain) => typeof chain === 'string').filter(isName) : []
  return { value: { protocolId, name, category: nameIn(entry, 'category'), chains: names } }
}

/** A slug as DefiLlama derives it from a name. */
function slugOf(name: string): string {
  return name.toLowerCase().replaceAll("'", '').replace(/\s+/g, '-')
}

/** The store refuses control characters and lone surrogates. */
function isName(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(text)
}

function nameIn(entry: JsonObject, member: string): string | null {
  const value = entry.get(member)
  return typeof value === 'string' && isName(value) ? value.trim() : null
}

/** A figure of an entry; null if it is null or missing. */
export function figureIn(
  entry: JsonObject,
  member: string,
  { isPositive = false } = {},
): Read<DecimalText | null> {
  const value = entry.get(member)
  if (value === undefined || value === null) return { value: null }
  if (typeof value !== 'string') return { wrong: `${member} is ${shown(value)}, not a number` }
  return readOn(named(`${member}:`, readDecimal(value)), (figure) => {
    const isBelow = isPositive && decimal(figure).isNegative()
    return isBelow ? { wrong: `${member} is ${figure}, below zero` } : { value: figure }
  })
}
