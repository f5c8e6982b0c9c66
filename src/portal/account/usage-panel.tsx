import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { useGet } from '../client/use-request.js'
import { Chart, type Line } from '../parts/charts/chart.js'
import { formatFigure, formatInstant } from '../parts/format.js'
import { DataTable, LoadedView, Panel } from '../parts/panel.js'

const DAY_MS = 86_400_000
const SHOWN_DAYS = 30

interface Usage {
  readonly policies: readonly {
    readonly policy: string
    readonly used: number
    readonly quota: number
    readonly remaining: number
    readonly reset: string
  }[]
  readonly days: readonly { readonly date: string; readonly operation: string; readonly units: number }[]
}

/** Shows the quotas and the charged units by day and by operation. */
export function UsagePanel(): JSX.Element {
  const { loaded, reload } = useGet<Usage>('/v1/usage')
  return (
    <Panel title="Usage" isWide>
      <LoadedView loaded={loaded} reload={reload}>
        {(usage) => <UsageView usage={usage} />}
      </LoadedView>
    </Panel>
  )
}

function UsageView({ usage: { policies, days } }: { readonly usage: Usage }): JSX.Element {
  const { times, lines, total } = useMemo(() => byDay(days), [days])
  return (
    <>
      <ul class="quotas">
        {policies.map(({ policy, used, quota, reset }) => (
          <li key={policy}>
            <label>
              {policy.replaceAll('_', ' ')}: {formatFigure(used)} of {formatFigure(quota)} units used; resets
              on {formatInstant(reset)}
              <meter min={0} max={quota} high={quota * 0.8} value={used} />
            </label>
          </li>
        ))}
      </ul>
      <Chart
        kind="bars"
        times={times}
        lines={lines}
        summary={`Units charged per day over ${SHOWN_DAYS} days: ${formatFigure(total)} in total`}
      />
      {days.length > 0 && <Operations days={days} />}
    </>
  )
}

function Operations({ days }: { readonly days: Usage['days'] }): JSX.Element {
  const units = new Map<string, number>()
  for (const { operation, units: some } of days) units.set(operation, (units.get(operation) ?? 0) + some)
  const rows = [...units].sort(([, one], [, other]) => other - one)
  return (
    <DataTable
      label="Units by operation"
      caption="Units by operation in the last 90 days"
      columns={['Operation', { number: 'Units' }]}
    >
      {rows.map(([operation, some]) => (
        <tr key={operation}>
          <th scope="row">
            <code>{operation}</code>
          </th>
          <td class="number">{formatFigure(some)}</td>
        </tr>
      ))}
    </DataTable>
  )
}

/** Sums the units of each of the last days. Days without requests have 0. */
function byDay(days: Usage['days']): { times: number[]; lines: Line[]; total: number } {
  const today = Math.floor(Date.now() / DAY_MS)
  const times = Array.from({ length: SHOWN_DAYS }, (_, at) => ((today - SHOWN_DAYS + 1 + at) * DAY_MS) / 1000)
  const values = times.map((seconds) => {
    const date = new Date(seconds * 1000).toISOString().slice(0, 10)
    return days.reduce((sum, one) => (one.date === date ? sum + one.units : sum), 0)
  })
  return {
    times,
    lines: [{ label: 'unit', values, isCount: true }],
    total: values.reduce((sum, some) => sum + some, 0),
  }
}
