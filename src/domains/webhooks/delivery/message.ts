import { instantText } from '../../../core/instant-text.js'
import type { ChangeMessage } from '../../analysis/changes/change-item-service.js'

/** What is sent: the same id and body at each attempt for an event. */
export interface Message {
  readonly id: string
  readonly body: string
}

/** The message of a change: it is named after the change, so that a receiver knows it again after a retry and a replay. */
export function changeMessage({ item, cursor, computedAt }: ChangeMessage): Message {
  const id = `change_${item.to_snapshot_id}`
  const timestamp = instantText(computedAt)
  return { id, body: JSON.stringify({ id, type: 'ai_analysis.change', timestamp, cursor, data: item }) }
}

/** A message for trying out a receiver. */
export function testMessage(testId: string, now: Date): Message {
  const id = `test_${testId}`
  const data = { note: 'This is a test of the webhook: no analysis has changed.' }
  return {
    id,
    body: JSON.stringify({ id, type: 'webhook.test', timestamp: instantText(now), cursor: null, data }),
  }
}
