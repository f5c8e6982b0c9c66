import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useQuery } from '../client/use-query.js'
import type { RequestState } from '../client/use-request.js'
import { config } from '../config.js'
import { useParameter } from '../location.js'
import { ApiCalls } from '../parts/api-calls.js'
import { Choice } from '../parts/choice.js'
import { LoadedView, Panel } from '../parts/panel.js'
import { SortableTable, type TableColumn } from '../parts/tables/sortable-table.js'
import { type CatalogueSeries, listMacroSeries, MACRO_CATALOGUE, type MacroCatalogue } from './catalogue.js'
import { CompareSeriesPanel } from './compare-series-panel.js'
import { KnownFiguresPanel } from './known-figures-panel.js'
import { SeriesPanel } from './series-panel.js'
import { unitText } from './unit-text.js'
import { YieldCurvePanel } from './yield-curve-panel.js'

const PROVIDERS: readonly (readonly [string, string])[] = [
  ['all', 'All'],
  ...config.macroPublishers.map(({ id, shortName }) => [id, shortName] as const),
]

const COLUMNS: readonly TableColumn<CatalogueSeries>[] = [
  {
    name: 'Series',
    cell: ({ id, name }) => <a href={`/macro?series=${encodeURIComponent(id)}`}>{name}</a>,
    sortKey: ({ name }) => name,
  },
  { name: 'Country', cell: ({ country }) => country, sortKey: ({ country }) => country },
  { name: 'Frequency', cell: ({ frequency }) => frequency, sortKey: ({ frequency }) => frequency },
  { name: 'Unit', cell: ({ unit }) => (unit === null ? '–' : unitText(unit)), sortKey: ({ unit }) => unit },
  { name: 'Provider', cell: ({ providerName }) => providerName, sortKey: ({ providerName }) => providerName },
]

/** The catalogue of macro series, a comparison of countries, and the chart of the series that the address names. */
export function MacroPage(): JSX.Element {
  const [series] = useParameter('series', '')
  const [asOf, setAsOf] = useParameter('as_of', '')
  const catalogue = useQuery<MacroCatalogue>(MACRO_CATALOGUE)
  const { loaded } = catalogue
  const all = useMemo(() => (loaded.state === 'ready' ? listMacroSeries(loaded.answer) : []), [loaded])
  return (
    <>
      <div class="intro">
        <h1>Macro series</h1>
        <p>Prices, rates, yields, employment and credit of countries, each with its revisions.</p>
      </div>
      {series === '' ? (
        <>
          <KnownFiguresPanel />
          <YieldCurvePanel />
        </>
      ) : (
        <SeriesPanel
          key={series}
          id={series}
          asOf={parsePastInstant(asOf)}
          onAsOf={(instant) => setAsOf(instant ?? '')}
        />
      )}
      <div class={loaded.state === 'loading' ? 'comparison-room' : ''}>
        <CompareSeriesPanel key={`compare ${series}`} catalogue={all} seriesId={series} />
      </div>
      <CataloguePanel catalogue={catalogue} all={all} />
    </>
  )
}

/** Null for a text that is no instant of the past, such as an edited address. */
function parsePastInstant(text: string): string | null {
  const ms = Date.parse(text)
  return Number.isNaN(ms) || ms > Date.now() ? null : new Date(ms).toISOString()
}

interface CataloguePanelProps {
  readonly catalogue: RequestState<MacroCatalogue>
  readonly all: readonly CatalogueSeries[]
}

function CataloguePanel({ catalogue, all }: CataloguePanelProps): JSX.Element {
  const [provider, setProvider] = useState('all')
  const [country, setCountry] = useState('')
  return (
    <Panel title="Catalogue" isWide>
      <Choice label="Provider" options={PROVIDERS} value={provider} onChange={setProvider} />
      <LoadedView {...catalogue}>
        {() => <Catalogue all={all} provider={provider} country={country} onCountry={setCountry} />}
      </LoadedView>
      <ApiCalls query={MACRO_CATALOGUE} />
    </Panel>
  )
}

interface CatalogueProps {
  readonly all: readonly CatalogueSeries[]
  readonly provider: string
  /** Empty for all countries. */
  readonly country: string
  readonly onCountry: (country: string) => void
}

function Catalogue({ all, provider, country, onCountry }: CatalogueProps): JSX.Element {
  const countries = useMemo(() => [...new Set(all.map((series) => series.country))].sort(), [all])
  const rows = useMemo(
    () =>
      all.filter(
        (series) =>
          (provider === 'all' || series.id.startsWith(`${provider}:`)) &&
          (country === '' || series.country === country),
      ),
    [all, provider, country],
  )
  return (
    <>
      <label>
        Country
        <select value={country} onChange={(event) => onCountry(event.currentTarget.value)}>
          <option value="">All countries</option>
          {countries.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {rows.length === 0 ? (
        <p class="quiet">This provider has no series of this country.</p>
      ) : (
        <SortableTable
          label="Series of the catalogue"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          filterText={({ name, titleAtPublisher, key }) => `${name} ${titleAtPublisher} ${key}`}
        />
      )}
    </>
  )
}
