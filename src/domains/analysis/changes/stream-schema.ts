import { builder } from '../../../schema-kit/builder.js'
import { subscriptionEndpoint } from '../../../schema-kit/fields.js'
import { cursorArgument, slugFilterArgument } from '../../../schema-kit/shared-arguments.js'
import { AiAnalysisType } from '../snapshots/snapshot-schema.js'
import { ChangeItemType } from './change-schema.js'
import { type ChangeEvent, checkStream, openStream } from './stream.js'

const ChangeEventType = builder.objectRef<ChangeEvent>('AIAnalysisChangeEvent').implement({
  description: 'A change, sent when its snapshot is added.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'Give it as `cursor` to go on after this item.',
    }),
    item: t.expose('change', { type: ChangeItemType, description: 'The change.' }),
  }),
})

subscriptionEndpoint('ai_analysis_changes', {
  summary: 'Follow changed analyses',
  description:
    'The changes, oldest first, each item once, as server-sent events (`Accept: text/event-stream`; a comment every 12 seconds shows that the stream is alive) or over a WebSocket. After a lost connection give the cursor of the last event: nothing is lost or repeated. It ends when the key is revoked and when the gateway stops; ten at a time per account.',
  access: 'ai:read',
  cost: 'metered',
  errors: ['not_found', 'service_unavailable'],
  type: ChangeEventType,
  args: (arg) => ({
    cursor: cursorArgument(arg, 'Cursor of the last event received; left out: only changes from now on.'),
    analysis_type: arg({ type: AiAnalysisType, description: 'Only this kind of analysis.' }),
    asset_id: slugFilterArgument(arg, 'Slug of an asset: only its changes.'),
  }),
  check: (args, context) => checkStream(args, context),
  subscribe: (query, context) => openStream(query, context),
})
