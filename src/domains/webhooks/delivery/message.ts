import { instantText } from '../../../core/instant-text.js'
import type { ChangeMessage } from '../../../platform/changes/change-feed.js'
import type { Sql } from '../../../platform/database/database.js'
import { CHANGE_FEEDS, FEED_NAMES } from '../change-feeds.js'
import { type EventName, loadEventNames } from '../webhook-store.js'
import type { DueDelivery } from './delivery-store.js'

/** The message of an event: id and body are the same in each attempt. */
export interface Message {
  readonly id: string
  readonly body: string
}

/** Loads the messages of events by the number of their change, as far as the changes are stored: one statement for each feed, and one for all names. */
export async function loadMessages(
  sql: Sql,
  due: readonly Pick<DueDelivery, 'diffId' | 'feed'>[],
): Promise<ReadonlyMap<number, Message>> {
  const messages = new Map<number, Message>()
  const names = await loadEventNames(
    sql,
    due.map(({ diffId }) => diffId),
  )
  for (const name of FEED_NAMES) {
    const ofFeed = new Set(due.flatMap(({ feed, diffId }) => (feed === name ? diffId : [])))
    if (ofFeed.size === 0) continue
    for (const change of await CHANGE_FEEDS[name].changes.loadMessages(sql, [...ofFeed])) {
      const event = names.get(String(change.diffId))
      if (event !== undefined) messages.set(change.diffId, toMessage(change, event))
    }
  }
  return messages
}

/** The id comes from the change, so that a receiver recognises it after a retry or a replay. */
function toMessage(
  { timestamp, cursor, item }: ChangeMessage,
  { changeId, eventType: type }: EventName,
): Message {
  const id = eventId(changeId)
  return { id, body: JSON.stringify({ id, type, timestamp, cursor, data: item }) }
}

export function eventId(changeId: string): string {
  return `change_${changeId}`
}

/** Creates a message that tests a receiver. */
export function testMessage(testId: string, now: Date): Message {
  const id = `test_${testId}`
  const data = { note: 'This is a test of the webhook: nothing has changed.' }
  return {
    id,
    body: JSON.stringify({ id, type: 'webhook.test', timestamp: instantText(now), cursor: null, data }),
  }
}
