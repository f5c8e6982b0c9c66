import { type Figi, parseFigi } from '../../../core/identifiers.js'
import { isJsonObject, isList, type Json, shown, wholeJson } from '../../bodies/json/json-body.js'
import type { Read } from '../../bodies/read.js'
import { BrokenBody } from '../../feed.js'

export interface MappedSecurity {
  readonly figi: Figi
  /** In the spelling of the provider, e.g. BRK/B. */
  readonly ticker: string
  readonly name: string
  /** Code of OpenFIGI for a market or a country; null for a security without an exchange, such as a coin. */
  readonly exchCode: string | null
  readonly compositeFigi: string | null
  /** In lower case. The two type fields spell types differently (Crypto, CRYPTO), and only the first names an ETF. */
  readonly securityTypes: readonly string[]
  readonly marketSector: string | null
}

/** The securities with one identifier, none if OpenFIGI does not know it, or why there is no answer about it. */
export type MappingResult = Read<readonly Read<MappedSecurity>[]>

/** A name is cut off by the provider at about 30 characters. */
const MAX_NAME_LENGTH = 200

/**
 * Parses an answer of OpenFIGI v3, POST /v3/mapping: one result for each identifier, in the order of the request. `asked`: the
 * number of identifiers; null for a file, which may answer any number.
 */
export function parseMappingAnswer(body: Uint8Array, asked: number | null): readonly MappingResult[] {
  const results = wholeJson(body)
  if (!isList(results)) throw new BrokenBody('the body is not a list of mapping results')
  if (asked !== null && results.length !== asked)
    throw new BrokenBody(`${results.length} results were sent for ${asked} identifiers`)
  if (results.length === 0) throw new BrokenBody('the list of mapping results is empty')
  return results.map(readResult)
}

function readResult(result: Json): MappingResult {
  if (!isJsonObject(result)) return { wrong: `${shown(result)} is not a result` }
  const rows = result.get('data')
  if (isList(rows)) return { value: rows.map(readSecurity) }
  if (result.has('error')) return { wrong: `OpenFIGI refused the identifier: ${shown(result.get('error'))}` }
  return result.has('warning') ? { value: [] } : { wrong: 'the result has neither data nor a warning' }
}

function readSecurity(row: Json): Read<MappedSecurity> {
  if (!isJsonObject(row)) return { wrong: `${shown(row)} is not a security` }
  const textOf = (member: string) => {
    const value = row.get(member)
    return typeof value === 'string' ? value : null
  }
  const [figi, ticker, name] = [parseFigi(textOf('figi') ?? ''), textOf('ticker'), textOf('name') ?? '']
  if (figi === null) return { wrong: `${shown(row.get('figi'))} is not a FIGI` }
  if (ticker === null) return { wrong: `${shown(row.get('ticker'))} is not a ticker` }
  if (name === '' || name.length > MAX_NAME_LENGTH)
    return { wrong: `${shown(row.get('name'))} is not the name of a security` }
  return {
    value: {
      ...{ figi, ticker, name },
      exchCode: textOf('exchCode'),
      compositeFigi: textOf('compositeFIGI'),
      securityTypes: ['securityType', 'securityType2'].flatMap((type) => textOf(type)?.toLowerCase() ?? []),
      marketSector: textOf('marketSector'),
    },
  }
}
