import type { JSX } from 'preact'
import type { AssetClassName } from './asset.js'

const NAMES = {
  overview: 'Overview',
  prices: 'Prices',
  fundamentals: 'Fundamentals',
  holdings: 'Holdings',
  holders: 'Held by',
  analyses: 'Analyses',
  evidence: 'Evidence',
  api: 'API',
} as const
export type SectionId = keyof typeof NAMES

const SECTIONS_OF_CLASS = {
  crypto: ['overview', 'prices', 'fundamentals', 'analyses', 'evidence', 'api'],
  stock: ['overview', 'prices', 'fundamentals', 'holders', 'analyses', 'api'],
  etf: ['overview', 'prices', 'holdings', 'analyses', 'api'],
  commodity: ['overview', 'prices', 'api'],
} as const satisfies Readonly<Record<AssetClassName, readonly SectionId[]>>

export type Sections = readonly (readonly [id: SectionId, name: string])[]

/** The sections of the page of an asset, with their names. */
export function listSections(assetClass: AssetClassName): Sections {
  return SECTIONS_OF_CLASS[assetClass].map((id) => [id, NAMES[id]])
}

export interface SectionLinksProps {
  readonly path: string
  readonly sections: Sections
  readonly open: SectionId
}

/** A link to each section; the address of the first one is the path alone. */
export function SectionLinks({ path, sections, open }: SectionLinksProps): JSX.Element {
  return (
    <nav class="sections" aria-label="Sections">
      {sections.map(([id, name], at) => (
        <a
          key={id}
          href={at === 0 ? path : `${path}?section=${id}`}
          aria-current={id === open ? 'page' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  )
}
