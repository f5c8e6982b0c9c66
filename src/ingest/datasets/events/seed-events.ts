import { addDays, type IsoDate } from '../../../core/time.js'
import { EVENT_TYPES } from '../../../domains/events/model.js'
import type { StreamFeed } from '../../feed.js'
import { eventsFile, type OwnEvent } from '../../providers/operator/events-file.js'
import { CRYPTO_ASSETS } from '../../providers/reference/assets.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'

const FIRST_DAY = '2024-01-01' as IsoDate
const SPAN_DAYS = 1_000

/** Three or four events of each kind. */
const OF_EACH_KIND = 4
const LEFT_OUT = 0.17

/** Synthetic events in the form of the operator's file. */
export const seedEvents: StreamFeed<OwnEvent> = {
  ...eventsFile(CRYPTO_ASSETS),
  id: 'seed-events',
  ...SEED_FEED,
  description: `Synthetic events of ${EVENT_TYPES.length} kinds`,
}

/** The same body at any time: three or four events of each kind, some about two assets. */
export function seedEventsBody(): Uint8Array {
  const lines = EVENT_TYPES.flatMap(({ id, label }) =>
    Array.from({ length: OF_EACH_KIND }, (_, place) => {
      const key = `event ${id} ${place}`
      if (place > 2 && noise(key) < LEFT_OUT) return ''
      const [asset, other] = ['asset', 'other'].map(
        (what) => CRYPTO_ASSETS[Math.floor(noise(`${key} ${what}`) * CRYPTO_ASSETS.length)],
      )
      const day = addDays(FIRST_DAY, Math.floor(noise(`${key} day`) * SPAN_DAYS))
      const slugs = place === 1 && other !== asset ? `${asset?.slug} ${other?.slug}` : asset?.slug
      const title = `Made-up ${label.toLowerCase()} of ${asset?.name}`
      const url = `https://events.example/${id.replaceAll('_', '-')}/${place}`
      return `${id},${day},${title},Made up for development.,${url},Example Wire,${slugs}`
    }).filter((line) => line !== ''),
  )
  const table = ['event_type,date,title,description,url,source,assets', ...lines].join('\n')
  return new TextEncoder().encode(`${table}\n`)
}
