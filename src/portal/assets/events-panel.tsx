import type { JSX } from 'preact'
import { restGet } from '../client/use-query.js'
import { formatDay } from '../parts/format.js'
import { QueryPanel } from '../parts/query-panel.js'

const EVENTS = `query Events($asset_id: Int!) {
  star_fact_events(asset_id: $asset_id, limit: 20) {
    data { event_fact_sk event_title event_date event_description event_url }
  }
}`

interface Event {
  readonly event_fact_sk: string
  readonly event_title: string | null
  readonly event_date: string | null
  readonly event_description: string | null
  readonly event_url: string | null
}

/** Events of an asset, such as upgrades and listings. */
export function EventsPanel({ assetId }: { readonly assetId: number }): JSX.Element {
  return (
    <QueryPanel<{ readonly star_fact_events: { readonly data: readonly Event[] } }>
      title="Events"
      query={{
        document: EVENTS,
        variables: { asset_id: assetId },
        rest: [restGet('/v1/star/fact/events', { asset_id: assetId, limit: 20 })],
      }}
    >
      {({ star_fact_events: { data } }) =>
        data.length === 0 ? (
          <p class="quiet">No events are stored for this asset.</p>
        ) : (
          <ul class="entries">
            {data.map((event) => (
              <li key={event.event_fact_sk}>
                {event.event_date !== null && <>{formatDay(event.event_date)}: </>}
                {event.event_url === null ? (
                  event.event_title
                ) : (
                  <a href={event.event_url} rel="noreferrer">
                    {event.event_title}
                  </a>
                )}
                {event.event_description !== null && <p>{event.event_description}</p>}
              </li>
            ))}
          </ul>
        )
      }
    </QueryPanel>
  )
}
