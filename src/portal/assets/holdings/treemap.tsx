import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { PointSlider } from '../../parts/point-slider.js'
import { layOutTiles } from './treemap-layout.js'

const HEIGHT = 320

/** Width of an average character of a label, and the room that a label needs, in pixels. */
const CHARACTER = 7
const PADDING = 6
const LINE = 16

export interface TreemapItem {
  readonly key: string | number
  /** Short enough for a tile. */
  readonly label: string
  readonly name: string
  /** The weight in words. */
  readonly figure: string
  /** Positive. */
  readonly weight: number
  /** The page of the item; null without one. */
  readonly path: string | null
}

export interface TreemapProps {
  /** By descending weight. */
  readonly items: readonly TreemapItem[]
  /** Names the control that chooses a tile. */
  readonly name: string
  /** A screen reader announces this text. */
  readonly summary: string
}

/** Tiles whose areas show weights. The pointer or the arrow keys choose the tile whose item is named above. */
export function Treemap({ items, name, summary }: TreemapProps): JSX.Element | null {
  const container = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [chosen, setChosen] = useState(0)
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const tiles = useMemo(() => {
    const weights = items.map(({ weight }) => weight)
    return width === 0 ? [] : layOutTiles(weights, width, HEIGHT)
  }, [items, width])
  const at = Math.min(chosen, items.length - 1)
  const item = items[at]
  if (item === undefined) return null
  return (
    <>
      <p class="readout">
        <span class="line-0">
          {item.path === null ? item.name : <a href={item.path}>{item.name}</a>}: {item.figure}
        </span>
      </p>
      <div class="plot">
        <div ref={container} class="treemap" role="img" aria-label={summary}>
          <svg width={width} height={HEIGHT} aria-hidden="true">
            {tiles.map(({ x, y, ...size }, position) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys choose a tile by keyboard
              <g
                key={items[position]?.key}
                class={position === at ? 'chosen' : ''}
                transform={`translate(${x} ${y})`}
                onPointerEnter={() => setChosen(position)}
                onClick={() => setChosen(position)}
              >
                <rect {...size} />
                <TileText item={items[position] ?? item} {...size} />
              </g>
            ))}
          </svg>
        </div>
        <PointSlider
          label={`${name}: choose a tile`}
          at={at}
          count={items.length}
          text={`${item.name}: ${item.figure}`}
          onChoose={setChosen}
        />
      </div>
    </>
  )
}

interface TileTextProps {
  readonly item: TreemapItem
  readonly width: number
  readonly height: number
}

/** The label and the figure, as far as the tile has room for them. */
function TileText({ item, width, height }: TileTextProps): JSX.Element | null {
  const hasRoom = (text: string, lines: number) =>
    text.length * CHARACTER + PADDING <= width && lines * LINE + PADDING <= height
  if (!hasRoom(item.label, 1)) return null
  return (
    <>
      <text x={PADDING} y={LINE}>
        {item.label}
      </text>
      {hasRoom(item.figure, 2) && (
        <text x={PADDING} y={2 * LINE}>
          {item.figure}
        </text>
      )}
    </>
  )
}
