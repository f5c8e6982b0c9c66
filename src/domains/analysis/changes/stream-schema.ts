import type { ChangeEvent } from '../../../platform/changes/follow-changes.js'
import { builder } from '../../../schema-kit/builder.js'
import { subscriptionEndpoint } from '../../../schema-kit/fields.js'
import { cursorArgument, slugFilterArgument } from '../../../schema-kit/shared-arguments.js'
import { shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { byArgument } from '../../assets/by-schema.js'
import { AiAnalysisType } from '../snapshots/snapshot-schema.js'
import { ChangeItemType } from './change-schema.js'
import type { SnapshotChange } from './change-store.js'
import { checkStream, openStream } from './stream.js'

const ChangeEventType = builder.objectRef<ChangeEvent<SnapshotChange>>('AIAnalysisChangeEvent').implement({
  description: 'A change, sent when its snapshot is added.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      cursor: text('Cursor of this item: pass it as `cursor` to continue after this item.'),
      item: shownAs(ChangeItemType)('The change.', 'change'),
    }),
})

subscriptionEndpoint('ai_analysis_changes', {
  summary: 'Follow changed analyses',
  description:
    'Sends the changes, oldest first, each item once, as server-sent events (`Accept: text/event-stream`; a comment every 12 seconds shows that the stream is alive) or over a WebSocket. After a lost connection pass the cursor of the last event: no item is lost or repeated. The stream ends when the key is revoked or the gateway stops. An account can have ten streams at a time.',
  access: 'ai:read',
  cost: 'metered',
  errors: ['not_found', 'service_unavailable'],
  type: ChangeEventType,
  args: (arg) => ({
    cursor: cursorArgument(
      arg,
      'Cursor of the last event received. When omitted, only changes from now on are sent.',
    ),
    analysis_type: arg({ type: AiAnalysisType, description: 'Only this type of analysis.' }),
    asset_id: slugFilterArgument(arg, 'Slug of an asset: send only its changes.'),
    by: byArgument(arg, 'Another identifier of an asset, instead of `asset_id`.'),
  }),
  check: (args, context) => checkStream(args, context),
  subscribe: (query, context) => openStream(query, context),
})
