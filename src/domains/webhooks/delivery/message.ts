import { instantText } from '../../../core/instant-text.js'
import type { ChangeMessage } from '../../analysis/changes/change-item-service.js'

/** The message of an event: id and body are the same in each attempt. */
export interface Message {
  readonly id: string
  readonly body: string
}

/** Creates the message of a change. Its id comes from the change, so that a receiver recognises it after a retry or a replay. */
export function changeMessage({ item, cursor, computedAt }: ChangeMessage): Message {
  const id = `change_${item.to_snapshot_id}`
  const timestamp = instantText(computedAt)
  return { id, body: JSON.stringify({ id, type: 'ai_analysis.change', timestamp, cursor, data: item }) }
}

/** Creates a message that tests a receiver. */
export function testMessage(testId: string, now: Date): Message {
  const id = `test_${testId}`
  const data = { note: 'This is a test of the webhook: no analysis has changed.' }
  return {
    id,
    body: JSON.stringify({ id, type: 'webhook.test', timestamp: instantText(now), cursor: null, data }),
  }
}
