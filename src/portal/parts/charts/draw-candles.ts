import type uPlot from 'uplot'

/** Colours of a candle whose last price is at least the first one, and of another one. */
export interface CandleColours {
  readonly up: string
  readonly down: string
}

/** The lines of a plot whose values are drawn as candles: first, highest, lowest and last price. They are its last lines. */
export const CANDLE_LINES = 4

const MAX_WIDTH = 16

/** Draws the candles of a plot. A window without prices stays empty. */
export function drawCandles(plot: uPlot, { up, down }: CandleColours): void {
  const times = plot.data[0]
  const [opens, highs, lows, closes] = plot.data.slice(-CANDLE_LINES)
  const { ctx, bbox } = plot
  const width = Math.min(MAX_WIDTH, Math.max(1, 0.7 * spacingOf(plot)))
  const yOf = (price: number) => plot.valToPos(price, 'y', true)
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.lineWidth = 1
  for (const [at, time] of times.entries()) {
    const [open, high, low, close] = [opens?.[at], highs?.[at], lows?.[at], closes?.[at]]
    if (open == null || high == null || low == null || close == null) continue
    const x = plot.valToPos(time, 'x', true)
    const [top, bottom] = [yOf(Math.max(open, close)), yOf(Math.min(open, close))]
    ctx.fillStyle = close >= open ? up : down
    ctx.strokeStyle = ctx.fillStyle
    ctx.beginPath()
    ctx.moveTo(x, yOf(high))
    ctx.lineTo(x, yOf(low))
    ctx.stroke()
    ctx.fillRect(x - width / 2, top, width, Math.max(1, bottom - top))
  }
  ctx.restore()
}

/** Pixels between two windows. */
function spacingOf({ data: [times], bbox, scales: { x } }: uPlot): number {
  const step = (times[1] ?? 0) - (times[0] ?? 0)
  const range = (x?.max ?? 0) - (x?.min ?? 0)
  return range <= 0 || step <= 0 ? MAX_WIDTH : (step / range) * bbox.width
}
