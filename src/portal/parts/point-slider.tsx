import type { JSX } from 'preact'

/** Page Up and Page Down move by this share of all points. */
const PAGE_SHARE = 0.1

export interface PointSliderProps {
  readonly label: string
  /** The chosen point, from 0. */
  readonly at: number
  readonly count: number
  /** The chosen point in words. */
  readonly text: string
  readonly onChoose: (at: number) => void
}

/** Lies invisibly over a picture and chooses one of its points by the arrow keys; the pointer goes through it. */
export function PointSlider({ label, at, count, text, onChoose }: PointSliderProps): JSX.Element {
  const choose = (event: KeyboardEvent) => {
    const next = toNextPoint(event.key, at, count)
    if (next === null) return
    event.preventDefault()
    onChoose(next)
  }
  return (
    <div
      class="point-slider"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={count - 1}
      aria-valuenow={at}
      aria-valuetext={text}
      onKeyDown={choose}
    />
  )
}

/** The point to which a key leads; null for other keys. */
function toNextPoint(key: string, at: number, count: number): number | null {
  const page = Math.max(1, Math.round(count * PAGE_SHARE))
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -page,
    PageUp: page,
    Home: -count,
    End: count,
  }
  const step = steps[key]
  return step === undefined ? null : Math.min(Math.max(0, at + step), count - 1)
}
