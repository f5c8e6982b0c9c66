import type { QuoteCurrency } from '../../../core/consensus/venue-vwap.js'
import type { StoredPrices } from '../model.js'
import { type ByteReader, type ByteWriter, isPlain, scaleOf, trimmedFigure } from './figure-bytes.js'

/**
 * The prices of one exchange in a candle as bytes, about 20: a code of how they are written and of the currency, then the lowest
 * price and the distances of the others from it, then the volumes. Bytes that were once written are read for ever.
 */

/** No prices. */
const NONE = 0
/** The lowest price, the decimal places of all prices, and the distances of open, high and close from it in their unit. */
const AS_DISTANCES = 1
/** Open, high, low and close, each as a figure: for prices of too many digits. */
const AS_FIGURES = 2

/** The place is the code: append, never change. */
const CURRENCIES: readonly QuoteCurrency[] = ['USD', 'USDT', 'USDC']

/** A turnover that equals the volume in USD is not written again. */
export function writeExchangePrices(
  writer: ByteWriter,
  prices: StoredPrices | undefined,
  volumeUsd: string | null,
): void {
  if (prices === undefined) {
    writer.byte(NONE)
    return
  }
  const { open, high, low, close, volume, quoteVolume, quoteCurrency } = prices
  const distances = distancesOf(prices)
  const currency = CURRENCIES.indexOf(quoteCurrency) << 2
  if (distances === null) {
    writer.byte(currency | AS_FIGURES)
    for (const figure of [open, high, low, close]) writer.figure(figure)
  } else {
    writer.byte(currency | AS_DISTANCES)
    writer.byte(distances.scale)
    for (const whole of distances.wholes) writer.whole(whole)
  }
  writer.figure(volume)
  writer.figure(quoteVolume === volumeUsd ? null : quoteVolume)
}

/** Throws RangeError for bytes that were not written by `writeExchangePrices`. */
export function readExchangePrices(reader: ByteReader, volumeUsd: string | null): StoredPrices | undefined {
  const head = reader.byte()
  if (head === NONE) return undefined
  const quoteCurrency = CURRENCIES[head >> 2]
  const form = head & 3
  if (quoteCurrency === undefined || (form !== AS_DISTANCES && form !== AS_FIGURES))
    throw new RangeError(`stored prices have the unknown form ${head}: this version is too old for them`)
  const prices = form === AS_DISTANCES ? readDistances(reader) : readFigures(reader)
  return {
    ...prices,
    volume: required(reader.figure()),
    quoteVolume: required(reader.figure() ?? volumeUsd),
    quoteCurrency,
  }
}

function readFigures(reader: ByteReader) {
  const next = () => required(reader.figure())
  return { open: next(), high: next(), low: next(), close: next() }
}

function readDistances(reader: ByteReader) {
  const scale = reader.byte()
  const low = reader.whole()
  const next = () => trimmedFigure(low + reader.whole(), scale)
  return { low: trimmedFigure(low, scale), open: next(), high: next(), close: next() }
}

/** Null for prices that are not plain, of which one is below the lowest, or that have too many digits for whole numbers. */
function distancesOf({ open, high, low, close }: StoredPrices) {
  const texts = [low, open, high, close]
  if (!texts.every(isTrimmed)) return null
  const scale = Math.max(...texts.map(scaleOf))
  const [lowest = 0, ...others] = texts.map((text) =>
    Number(text.replace('.', '') + '0'.repeat(scale - scaleOf(text))),
  )
  const wholes = [lowest, ...others.map((other) => other - lowest)]
  const fits =
    scale < 256 &&
    Math.max(lowest, ...others) <= Number.MAX_SAFE_INTEGER &&
    wholes.every((whole) => whole >= 0)
  return fits ? { scale, wholes } : null
}

/** Whether the text is what `trimmedFigure` gives. */
function isTrimmed(text: string): boolean {
  return isPlain(text) && !(text.includes('.') && text.endsWith('0'))
}

function required(figure: string | null): string {
  if (figure === null) throw new RangeError('stored prices lack a figure')
  return figure
}
