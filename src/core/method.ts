/** The sections of the guide "Methodology", by the id of their heading. */
export const METHOD_SECTIONS = [
  'consensus-prices',
  'exchange-rates',
  'adjusted-prices',
  'market-capitalisation-of-stocks',
  'fundamentals-of-stocks',
  'net-asset-value-of-etfs',
  'on-chain-figures',
  'fees-and-revenue-of-protocols',
  'ai-analyses',
  'star-schema',
  'newsletter',
  'sanctions-screening',
] as const

/** How values are derived: one or two short sentences, and the section of the guide that has the full method. */
export interface Method {
  readonly summary: string
  readonly section: (typeof METHOD_SECTIONS)[number]
}

/** Path of the guide that describes every method. */
export const METHODOLOGY_GUIDE_PATH = '/docs/guides/methodology'

/** `meta.data_methodology`: the summary with the link of the full method. */
export function formatMethod({ summary, section }: Method, publicUrl: string): string {
  return `${summary} ${publicUrl}${METHODOLOGY_GUIDE_PATH}#${section}`
}
