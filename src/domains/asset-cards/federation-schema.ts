import { invalid } from '../../core/errors.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'
import { Problems } from '../../core/problems.js'
import { PARENTS_PER_UNIT } from '../../policy/limits.js'
import { builder } from '../../schema-kit/builder.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { schemaText } from '../../schema-kit/schema-text.js'
import { shownValue } from '../../schema-kit/values/shown-value.js'
import { AssetCardType, CARD_READS } from './card-schema.js'
import { type CardKey, getCardsByKey } from './service.js'

/** The schema with the keys by which routers of a federated graph load entities (Apollo Federation 2). */
const federatedText = memoizeByObject((schema: Parameters<typeof schemaText>[0]) =>
  [
    'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])\n',
    schemaText(schema).replace(
      /^type AssetCard [^{]*/m,
      (head) => `${head}@key(fields: "slug") @key(fields: "asset_id") `,
    ),
  ].join('\n'),
)

const ServiceType = builder.objectRef<object>('_Service').implement({
  description: 'This service as a part of a federated graph.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    sdl: t.string({
      description: 'The schema in the schema definition language, with the keys of entities.',
      resolve: (_parent, _args, _context, { schema }) => federatedText(schema),
    }),
  }),
})

const EntityType = builder.unionType('_Entity', {
  description: 'The types that a router of a federated graph can load by a key.',
  subGraphs: ['Graph'],
  types: [AssetCardType],
  resolveType: () => AssetCardType,
})

queryEndpoint('_service', {
  summary: 'Schema for federation',
  description: 'The schema of this service for a router of a federated graph (Apollo Federation 2).',
  access: 'caller',
  cost: 'metered',
  rest: null,
  type: ServiceType,
  check: () => null,
  resolve: () => ({}),
})

/** A router asks for the entities of one page of its client. */
const MAX_ENTITIES = 100

queryEndpoint('_entities', {
  summary: 'Entities for federation',
  description: `Loads entities by key, for a router of a federated graph: assets by \`slug\` or \`asset_id\`, in the order of the keys. Null for an unknown asset. Costs 1 unit per ${PARENTS_PER_UNIT} entities.`,
  access: 'caller',
  cost: 'metered',
  rest: null,
  reads: CARD_READS,
  type: [EntityType],
  hasNullableItems: true,
  args: (arg) => ({
    representations: arg({
      type: ['_Any'],
      required: true,
      description: 'The entities: `{"__typename": "AssetCard", "slug": "bitcoin"}`.',
      ...hints({
        minimum: 1,
        maximum: MAX_ENTITIES,
        example: [{ __typename: 'AssetCard', slug: 'bitcoin' }],
      }),
    }),
  }),
  check: ({ representations }) => parseKeys(representations),
  rows: (keys) => keys.length,
  rowsPerUnit: PARENTS_PER_UNIT,
  resolve: (keys, context) => getCardsByKey(keys, context),
})

/** The 422 names every wrong entity. */
function parseKeys(entities: readonly Readonly<Record<string, unknown>>[]): readonly CardKey[] {
  if (entities.length > MAX_ENTITIES)
    throw invalid({
      field: 'representations',
      message: `may have at most ${MAX_ENTITIES} entities; got ${entities.length}`,
    })
  const problems = new Problems()
  const keys = entities.flatMap(({ __typename: type, slug, asset_id }, index): CardKey[] => {
    if (type !== AssetCardType.name)
      problems.add(`representations.${index}.__typename`, `must be AssetCard; got ${shownValue(type)}`)
    else if (typeof slug === 'string') return [{ slug }]
    else if (Number.isInteger(asset_id)) return [{ assetId: Number(asset_id) }]
    else
      problems.add(`representations.${index}`, 'must have the key slug (a text) or asset_id (a whole number)')
    return []
  })
  problems.refuse()
  return keys
}
