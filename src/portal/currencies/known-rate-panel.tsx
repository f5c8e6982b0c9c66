import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { useParameter } from '../location.js'
import { daysAgo, daysBefore } from '../parts/days-ago.js'
import { formatDay, formatFigure } from '../parts/format.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { IsoDayInput } from '../parts/iso-day-input.js'
import type { KnownVersion } from '../parts/known/known-version.js'
import { KnownVersions } from '../parts/known/known-versions.js'
import { QueryPanel } from '../parts/query-panel.js'
import type { PairProps } from './converter-panel.js'

const KNOWN_RATE = `query KnownRate($quote: String!, $from: Date!, $to: Date!) {
  forex(quote: $quote, from: $from, to: $to) {
    data { date }
    revisions { rate known_from known_to published_from }
    ${FRESHNESS}
  }
}`

interface KnownRate {
  readonly forex: {
    readonly data: readonly { readonly date: string }[]
    readonly revisions: readonly (Omit<KnownVersion, 'text'> & { readonly rate: number })[]
    readonly _meta: FreshnessMeta
  }
}

/** No two days of publication are further apart. */
const MAX_GAP_DAYS = 10

const FIRST_DAY = '1999-01-04'

/** What was known when of the euro rate of one day, by observation and by publication. */
export function KnownRatePanel({ from, to }: PairProps): JSX.Element {
  const [day, setDay] = useParameter('known_on', '')
  const quote = to === 'EUR' ? from : to
  const last = day || daysAgo(0)
  const query = useMemo(() => {
    const variables = { quote, from: daysBefore(last, MAX_GAP_DAYS), to: last }
    return {
      document: KNOWN_RATE,
      variables,
      rest: [restGet('/v1/forex', variables)],
      restNote: 'REST returns the rates without their versions.',
    }
  }, [quote, last])
  return (
    <QueryPanel<KnownRate>
      title="What was known when"
      isWide
      query={query}
      controls={
        <div class="row">
          <IsoDayInput label="Day of the rate, else the newest" day={day} first={FIRST_DAY} onDay={setDay} />
        </div>
      }
    >
      {({ forex }) => <LoadedRate forex={forex} quote={quote} last={last} />}
    </QueryPanel>
  )
}

interface LoadedRateProps extends KnownRate {
  readonly quote: string
  readonly last: string
}

function LoadedRate({ forex: { data, revisions, _meta }, quote, last }: LoadedRateProps): JSX.Element {
  const date = data.at(-1)?.date
  if (date === undefined)
    return (
      <p class="quiet">
        No rate in the {MAX_GAP_DAYS} days up to {formatDay(last)}.
      </p>
    )
  return (
    <>
      <h3>
        {quote} for 1 EUR on {formatDay(date)}
      </h3>
      <KnownVersions
        what={`the rate of ${formatDay(date)}`}
        versions={revisions.map((version) => ({ ...version, text: formatFigure(version.rate) }))}
        hasRule
      />
      <FreshnessLine meta={_meta} />
    </>
  )
}
