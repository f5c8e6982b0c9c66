import { parseUuid } from '../../../core/identifiers.js'
import { builder, type GraphQLContext } from '../../../schema-kit/builder.js'
import { hints, queryEndpoint } from '../../../schema-kit/fields.js'
import { defineNode, loadEach } from '../../../schema-kit/nodes.js'
import { integer, shownFields, text } from '../../../schema-kit/shown-fields.js'
import type { AnalysedSnapshot, SnapshotHeader } from '../model.js'
import { AiAnalysisItemType } from './history-schema.js'
import { getContentText, getSnapshot, parseSnapshotId, previousChainHash } from './proof.js'
import { ImmutabilityInterface, LatestResponseType } from './snapshot-schema.js'

/** Everything that an offline check of a snapshot needs. */
builder.interfaceFields(ImmutabilityInterface, (t) =>
  shownFields(t, {
    content_text: t.string({
      subGraphs: ['Graph'],
      description:
        'Canonical JSON text (RFC 8785) of the content; content_hash is the hash of exactly these bytes.',
      resolve: (snapshot, _args, context) => getContentText(snapshot, context),
    }),
    sequence: integer.inGraph(
      'Position in the chain of the asset and type, from 1, in the order of arrival.',
    ),
    chain_hash: text.inGraph(
      '`sha256:` and 64 hex digits: SHA-256 of four lines joined by line feeds: previous_chain_hash (`sha256:` and 64 zeros for the first), content_hash, the UUID, generated_at with milliseconds and Z.',
      'chainHash',
    ),
    previous_chain_hash: t.string({
      subGraphs: ['Graph'],
      nullable: true,
      description: 'chain_hash of the previous snapshot in the chain. Null for the first snapshot.',
      resolve: ({ snapshotId }, _args, context) => previousChainHash(context).load(snapshotId),
    }),
    signature: text.orNull.inGraph(
      'Ed25519 signature over the text of chain_hash, base64url. Null when the snapshot is not signed.',
    ),
    signing_key_id: text.orNull.inGraph(
      '`kid` of the signing key in /.well-known/jwks.json. Null when the snapshot is not signed.',
      'signingKeyId',
    ),
  }),
)

queryEndpoint('ai_analysis_snapshot', {
  summary: 'One AI analysis by its UUID',
  keywords: ['proof', 'signature', 'hash', 'verify', 'unchanged'],
  description:
    'A snapshot as it was stored, even if a later one corrects it. `immutability` has everything that is needed to check it offline. A snapshot older than 90 days needs history:full.',
  access: 'ai:read',
  partScopes: ['history:full', 'ai:lineage'],
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/ai-analysis/snapshots/{snapshot_id}', tag: 'ai analysis' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: LatestResponseType,
  args: (arg) => ({
    snapshot_id: arg.string({
      required: true,
      description: 'UUID of the snapshot.',
      ...hints({ maxLength: 36 }),
    }),
  }),
  check: (args) => parseSnapshotId(args),
  resolve: (snapshotId, context) => getSnapshot(snapshotId, context),
})

const SNAPSHOT_NODE = {
  servedBy: 'ai_analysis_snapshot',
  keyOf: ({ snapshot }: AnalysedSnapshot<SnapshotHeader>) => snapshot.snapshotId,
  isKey: (text: string) => parseUuid(text) === text,
  load: (ids: readonly string[], context: GraphQLContext) => loadEach(ids, (id) => getSnapshot(id, context)),
}

defineNode(LatestResponseType, SNAPSHOT_NODE)
defineNode(AiAnalysisItemType, SNAPSHOT_NODE)
