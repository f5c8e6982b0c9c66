import type { StoredSource } from '../model.js'
import { ByteReader, ByteWriter } from './figure-bytes.js'
import { readExchangePrices, writeExchangePrices } from './packed-prices.js'
import { sharesOfFigures } from './shares-of-figures.js'

/**
 * The sources of a candle as bytes: a tenth of the same as JSON. The first byte says how the others are read. Bytes that were
 * once written are read for ever: append to the lists below, never change them.
 */

/** The text of the JSON follows. */
const AS_JSON = 0
/** Of each source: venue and exclusion (a byte), price, volume. Weights and deviations follow from them. */
const WITH_SHARES_OF_FIGURES = 1
/** The same, each source with its weight and its deviation. */
const WITH_STATED_SHARES = 2
/** Added to either: the prices of each source follow its figures. */
const WITH_PRICES = 4

/**
 * The place of a name is its code. The last code says that the name follows. A new venue is appended here, and a migration
 * adds it to the enum `venue`.
 */
const VENUES = ['binance', 'bitfinex', 'bitstamp', 'coinbase', 'kraken', 'okx']
const VENUE_FOLLOWS = 31
const EXCLUSIONS = [null, 'no_volume', 'invalid_price', 'stablecoin_off_peg', 'outlier', 'dominant_volume']
const EXCLUSION_FOLLOWS = 7

/**
 * The sources as bytes, the same ones for the same sources. `unpackSources` and `sourcesText` give them again, each text to the
 * last character.
 */
export function packSources(sources: readonly StoredSource[]): Buffer {
  try {
    const shares = haveSharesOfFigures(sources) ? WITH_SHARES_OF_FIGURES : WITH_STATED_SHARES
    return packed(sources, shares | (sources.some(({ prices }) => prices !== undefined) ? WITH_PRICES : 0))
  } catch (error) {
    // A name or a figure of more than 255 bytes.
    if (error instanceof RangeError) return asJson(sources)
    throw error
  }
}

/** Throws RangeError for bytes that were not written by this module. */
export function unpackSources(bytes: Uint8Array): readonly StoredSource[] {
  const reader = new ByteReader(bytes)
  const format = reader.byte()
  if (format === AS_JSON) return JSON.parse(reader.rest()) as readonly StoredSource[] // as it was stored
  const formatOfShares = format & ~WITH_PRICES
  if (formatOfShares !== WITH_SHARES_OF_FIGURES && formatOfShares !== WITH_STATED_SHARES) {
    throw new RangeError(`stored sources have the unknown format ${format}: this version is too old for them`)
  }
  const read: StoredSource[] = []
  while (!reader.isAtEnd) read.push(readSource(reader, format))
  if (formatOfShares === WITH_STATED_SHARES) return read
  const shares = sharesOfFigures(read)
  return read.map((source, place) => {
    const { weight = null, deviation = null } = shares[place] ?? {}
    return { ...source, weight, deviation }
  })
}

/** The sources without the prices of each exchange, as PostgreSQL writes the text of their JSON. */
export function sourcesText(bytes: Uint8Array): string {
  return jsonText(unpackSources(bytes))
}

/** Whether each weight and deviation is the one that follows from the figures. */
function haveSharesOfFigures(sources: readonly StoredSource[]): boolean {
  const shares = sharesOfFigures(sources)
  return sources.every(
    ({ weight, deviation }, place) =>
      shares[place]?.weight === weight && shares[place]?.deviation === deviation,
  )
}

function packed(sources: readonly StoredSource[], format: number): Buffer {
  const writer = new ByteWriter()
  writer.byte(format)
  for (const { venue, exclusion, vwapUsd, volumeUsd, weight, deviation, prices } of sources) {
    const venueCode = codeOf(VENUES, venue, VENUE_FOLLOWS)
    const exclusionCode = codeOf(EXCLUSIONS, exclusion, EXCLUSION_FOLLOWS)
    writer.byte((venueCode << 3) | exclusionCode)
    if (venueCode === VENUE_FOLLOWS) writer.text(venue)
    if (exclusionCode === EXCLUSION_FOLLOWS) writer.text(exclusion ?? '')
    writer.figure(vwapUsd)
    writer.figure(volumeUsd)
    if ((format & WITH_STATED_SHARES) !== 0) {
      writer.figure(weight)
      writer.figure(deviation)
    }
    if ((format & WITH_PRICES) !== 0) writeExchangePrices(writer, prices, volumeUsd)
  }
  return writer.written
}

function codeOf(names: readonly (string | null)[], name: string | null, other: number): number {
  const place = names.indexOf(name)
  return place < 0 ? other : place
}

function readSource(reader: ByteReader, format: number): StoredSource {
  const codes = reader.byte()
  const [venueCode, exclusionCode] = [codes >> 3, codes & 7]
  const venue = venueCode === VENUE_FOLLOWS ? reader.text() : VENUES[venueCode]
  const exclusion = exclusionCode === EXCLUSION_FOLLOWS ? reader.text() : EXCLUSIONS[exclusionCode]
  if (venue === undefined || exclusion === undefined) {
    throw new RangeError(`stored sources have the unknown codes ${codes}: this version is too old for them`)
  }
  const [vwapUsd, volumeUsd] = [reader.figure(), reader.figure()]
  const isStated = (format & WITH_STATED_SHARES) !== 0
  const [weight, deviation] = isStated ? [reader.figure(), reader.figure()] : [null, null]
  const prices = (format & WITH_PRICES) === 0 ? undefined : readExchangePrices(reader, volumeUsd)
  const source = { venue, vwapUsd, volumeUsd, weight, exclusion, deviation }
  return prices === undefined ? source : { ...source, prices }
}

/** In the order of keys and with the spaces that jsonb has. */
function jsonText(sources: readonly StoredSource[]): string {
  const text = JSON.stringify
  const items = sources.map(
    ({ venue, weight, vwapUsd, deviation, exclusion, volumeUsd }) =>
      `{"venue": ${text(venue)}, "weight": ${text(weight)}, "vwapUsd": ${text(vwapUsd)}, "deviation": ${text(deviation)}, "exclusion": ${text(exclusion)}, "volumeUsd": ${text(volumeUsd)}}`,
  )
  return `[${items.join(', ')}]`
}

function asJson(sources: readonly StoredSource[]): Buffer {
  return Buffer.concat([Buffer.of(AS_JSON), Buffer.from(JSON.stringify(sources))])
}
