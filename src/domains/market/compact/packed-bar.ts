import type { QuoteCurrency, VenueBar } from '../../../core/consensus/venue-vwap.js'
import { type Decimal, decimal, decimalText } from '../../../core/decimal.js'
import { ByteReader, ByteWriter } from './figure-bytes.js'

/** The parts of a bar that are not its key. */
export type BarFigures = Omit<VenueBar, 'venue' | 'ts'>

/** Format of the bytes and, in the lower 3 bits, the currency. */
const FORMAT = 1 << 3

/** The place is the code: append, never change. */
const CURRENCIES: readonly QuoteCurrency[] = ['USD', 'USDT', 'USDC']

/**
 * The figures of a bar as bytes, exact to the last digit, the same ones for equal bars: about 30 instead of 75 as columns. Throws RangeError for a bar whose
 * lowest price is not above zero or above its highest one, or with a volume below zero.
 */
export function packBar({ quoteCurrency, ...figures }: BarFigures): Buffer {
  const { open, high, low, close, baseVolume, quoteVolume, vwap } = figures
  if (!low.greaterThan(0) || low.greaterThan(high) || baseVolume.lessThan(0)) {
    throw new RangeError(`a bar from ${low} to ${high} with the volume ${baseVolume} is impossible`)
  }
  const writer = new ByteWriter()
  writer.byte(FORMAT | CURRENCIES.indexOf(quoteCurrency))
  for (const figure of [open, high, low, close, baseVolume, quoteVolume, vwap])
    writer.figure(figure === null ? null : decimalText(figure))
  return writer.written
}

/** Throws RangeError for bytes that were not written by `packBar`. */
export function unpackBar(bytes: Uint8Array): BarFigures {
  const reader = new ByteReader(bytes)
  const head = reader.byte()
  const quoteCurrency = CURRENCIES[head & 7]
  if (head - (head & 7) !== FORMAT || quoteCurrency === undefined) {
    throw new RangeError(`a stored bar has the unknown format ${head}: this version is too old for it`)
  }
  const figure = () => nullable(reader.figure())
  const [open, high, low, close, baseVolume] = [figure(), figure(), figure(), figure(), figure()]
  if (open === null || high === null || low === null || close === null || baseVolume === null) {
    throw new RangeError('a stored bar lacks a figure')
  }
  return { open, high, low, close, baseVolume, quoteVolume: figure(), vwap: figure(), quoteCurrency }
}

function nullable(text: string | null): Decimal | null {
  return text === null ? null : decimal(text)
}
