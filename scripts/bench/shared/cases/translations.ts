/** A GraphQL case for PostGraphile, and the parts of both responses that must be equal. */
export interface Translation {
  readonly query: string
  readonly variables: Readonly<Record<string, string>>
  readonly partOfOwn: (answer: unknown) => unknown
  readonly partOfGateway: (answer: unknown) => unknown
}

/** What the figures of PostGraphile exclude. */
export const DIFFERENCES =
  'postgraphile gives the data alone: no meta and _meta, provenance flat, ranges fixed in its views'

const CARD = `asset_id: assetId ticker name tier price_consensus_usd: priceConsensusUsd
    market_cap_derived_usd: marketCapDerivedUsd last_updated: lastUpdated price_source: priceSource
    source_count: sourceCount consensus_status: consensusStatus methodology_version: methodologyVersion`

export const ASSET: Translation = {
  query: `query Asset($id: String!) { asset: assetBySlug(slug: $id) { ${CARD} } }`,
  variables: { id: 'bitcoin' },
  partOfOwn: at('data', 'asset'),
  partOfGateway: at('data', 'asset', 'data'),
}

export const ASSETS_20: Translation = {
  query: `query Assets {
  assets: allAssets(condition: { assetClass: crypto }, orderBy: ASSET_ID_ASC, first: 20) { data: nodes { ${CARD} } }
}`,
  variables: {},
  partOfOwn: at('data', 'assets', 'data'),
  partOfGateway: at('data', 'assets', 'data'),
}

export const FOREX: Translation = {
  query: `query Forex($quote: String!) {
  forex: allRates(condition: { quote: $quote }, orderBy: DAY_ASC) { data: nodes { date rate } }
}`,
  variables: { quote: 'USD' },
  partOfOwn: at('data', 'forex', 'data'),
  partOfGateway: at('data', 'forex', 'data'),
}

export const NESTED: Translation = {
  query: `query Nested {
  assets: allAssets(condition: { assetClass: crypto }, orderBy: ASSET_ID_ASC, first: 20) {
    data: nodes {
      asset_id: assetId ticker name tier price_consensus_usd: priceConsensusUsd last_updated: lastUpdated
      ai_analysis_history: analyses(
        condition: { analysisType: market_context }, orderBy: [GENERATED_DESC, SEQUENCE_DESC], first: 5
      ) {
        items: nodes {
          snapshot_id: snapshotId generated_at: generatedAt sentiment_score: sentimentScore summary
          model_id: modelId methodology_version: methodologyVersion
        }
      }
      ohlcv: candles(condition: { timeframe: _1d }, orderBy: BEGINS_ASC, first: 30) {
        candles: nodes {
          ts vwap_usd: vwapUsd volume_usd: volumeUsd exchanges_count: exchangesCount
          consensus_status: consensusStatus
        }
      }
    }
  }
}`,
  variables: {},
  partOfOwn: at('data', 'assets', 'data'),
  partOfGateway: (answer) => withFlatProvenance(at('data', 'assets', 'data')(answer)),
}

function at(...path: readonly string[]): (answer: unknown) => unknown {
  return (answer) => path.reduce((value, key) => (isRecord(value) ? value[key] : undefined), answer)
}

/** Moves the members of each `provenance` to its parent. */
function withFlatProvenance(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFlatProvenance)
  if (!isRecord(value)) return value
  const { provenance, ...others } = value
  const members = Object.entries(others).map(([key, member]) => [key, withFlatProvenance(member)] as const)
  return { ...Object.fromEntries(members), ...(isRecord(provenance) && provenance) }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
