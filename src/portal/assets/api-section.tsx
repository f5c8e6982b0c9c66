import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiQuery } from '../client/use-query.js'
import { config } from '../config.js'
import { listCalls, toGraphiqlPath } from '../parts/api-calls.js'
import { Choice } from '../parts/choice.js'
import { CodeBlock } from '../parts/code-block.js'
import { Panel } from '../parts/panel.js'
import { toCurl, toPython, toTypeScript } from '../parts/request-code.js'
import { buildAnalysesQuery } from './analyses-panels.js'
import { buildFundQuery } from './fund-panel.js'
import { buildInputsQuery } from './price-evidence-panel.js'
import { buildPriceQuery, type ChartedAsset, FIRST_RANGE } from './price-series.js'
import { buildFilingQuery } from './stocks/filing-panel.js'
import { buildQuartersQuery } from './stocks/quarters-panel.js'

const LANGUAGES = [
  ['curl', 'curl'],
  ['python', 'Python'],
  ['typescript', 'TypeScript'],
  ['graphql', 'GraphQL'],
] as const
type Language = (typeof LANGUAGES)[number][0]

const WRITERS = { curl: toCurl, python: toPython, typescript: toTypeScript } as const

export interface ApiSectionProps {
  readonly asset: ChartedAsset
  /** The query of the card. */
  readonly card: ApiQuery
}

/** The requests for an asset in the language that the reader chooses. */
export function ApiSection({ asset, card }: ApiSectionProps): JSX.Element {
  const [language, setLanguage] = useState<Language>('curl')
  return (
    <Panel title="Requests for this asset" isWide>
      <p class="quiet">
        Every request needs a key: <a href="/account">get one</a>. The <a href="/docs">REST reference</a>{' '}
        describes each route.
      </p>
      <Choice label="Language" options={LANGUAGES} value={language} onChange={setLanguage} />
      {listQueries(asset, card).map(([title, query]) => (
        <div key={title}>
          <h3>{title}</h3>
          <CodeBlock name="request" text={toText(query, language)} />
          {language === 'graphql' && !config.isTrustedOnly && (
            <p>
              <a href={toGraphiqlPath(query)}>Open in GraphiQL</a>
            </p>
          )}
        </div>
      ))}
    </Panel>
  )
}

function listQueries(asset: ChartedAsset, card: ApiQuery): readonly (readonly [string, ApiQuery])[] {
  const { slug, ticker, asset_class } = asset
  const ofClass = {
    crypto: [['Computation of the newest price', buildInputsQuery(slug)]],
    stock: [
      ['Fundamentals', buildFilingQuery(asset)],
      ['Quarters', buildQuartersQuery(asset)],
    ],
    etf: [['Fund', buildFundQuery(ticker)]],
    commodity: [],
  } as const satisfies Readonly<Record<typeof asset_class, readonly (readonly [string, ApiQuery])[]>>
  return [
    ['Asset', card],
    ['Prices', buildPriceQuery(asset, FIRST_RANGE[asset_class])],
    ...ofClass[asset_class],
    ['Analyses', buildAnalysesQuery(slug, 'market_context')],
  ]
}

function toText(query: ApiQuery, language: Language): string {
  if (language !== 'graphql') return listCalls(query).map(WRITERS[language]).join('\n\n')
  return `${query.document}\n\n# Variables\n${JSON.stringify(query.variables, null, 2).replaceAll(/^/gm, '# ')}`
}
