import type { GraphQLSchema } from 'graphql'
import { usePersistedDocuments } from '../../../src/gateway/graphql/documents/persisted-documents.js'
import { gatewayPlugins } from '../../../src/gateway/graphql/gateway-plugins.js'
import { createGatewayYoga, type GatewayYoga } from '../../../src/gateway/graphql/gateway-yoga.js'
import { CostlyOperations } from '../../../src/gateway/http/limits/costly-operations.js'
import { createLogger } from '../../../src/platform/logger.js'
import { createOperationStore } from '../../../src/platform/operation-store/operation-store.js'
import { LeasedPlaces } from '../../../src/platform/stream-places/leased-places.js'

/** The gateway's yoga over a schema of a test. */
export function yogaOf(schema: GraphQLSchema, upgradeUrl = 'https://example.com'): GatewayYoga {
  const log = createLogger('silent')
  const store = createOperationStore({ redisUrl: null, log })
  const documents = usePersistedDocuments(store)
  const places = new LeasedPlaces({ store: null, log })
  const parts = { schema, documents, places, costly: new CostlyOperations(), upgradeUrl }
  const options = { ...parts, isTrustedOnly: false, introspection: 'public' } as const
  return createGatewayYoga(schema, gatewayPlugins(options))
}
