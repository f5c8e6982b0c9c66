import { instantText } from '../../../core/instant-text.js'
import type { Sql } from '../../../platform/database/database.js'
import { loadChangeMessages } from '../../analysis/changes/change-item-service.js'
import { loadActionChangeMessages } from '../../stocks/changes/change-item-service.js'
import type { EventType } from '../model.js'
import type { DueDelivery } from './delivery-store.js'

/** The message of an event: id and body are the same in each attempt. */
export interface Message {
  readonly id: string
  readonly body: string
}

/** A change of any feed, as far as a message needs it. */
interface Event {
  /** From the change, so that a receiver recognises it after a retry or a replay. */
  readonly id: string
  readonly type: EventType
  readonly computedAt: Date
  readonly cursor: string
  readonly item: object
}

function toMessage({ id, type, computedAt, cursor, item }: Event): Message {
  const timestamp = instantText(computedAt)
  return { id, body: JSON.stringify({ id, type, timestamp, cursor, data: item }) }
}

/** Loads the messages of events by the number of their change, as far as the changes are stored: one statement for each feed. */
export async function loadMessages(
  sql: Sql,
  due: readonly Pick<DueDelivery, 'diffId' | 'feed'>[],
): Promise<ReadonlyMap<number, Message>> {
  const idsOf = (feed: DueDelivery['feed']) => [
    ...new Set(due.flatMap((event) => (event.feed === feed ? event.diffId : []))),
  ]
  const [analyses, actions] = [idsOf('ai_analysis'), idsOf('corporate_action')]
  const messages = new Map<number, Message>()
  if (analyses.length > 0)
    for (const [diffId, change] of await loadChangeMessages(sql, analyses)) {
      const id = eventId(String(change.item.to_snapshot_id))
      messages.set(diffId, toMessage({ ...change, id, type: 'ai_analysis.change' }))
    }
  if (actions.length > 0)
    for (const change of await loadActionChangeMessages(sql, actions)) {
      const type = `corporate_action.${change.changeKind}` as const
      messages.set(change.diffId, toMessage({ ...change, id: eventId(change.changeId), type }))
    }
  return messages
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
