import type { Config } from '../../config.js'
import type { OperationStore } from '../../platform/operation-store/operation-store.js'
import { graphSchema } from '../../schema.js'
import { type PublishedTexts, usePersistedDocuments } from './documents/persisted-documents.js'
import { useTrustedDocuments } from './documents/trusted-documents.js'
import { loadTrustedTexts } from './documents/trusted-texts.js'
import { gatewayPlugins } from './gateway-plugins.js'
import { createGatewayYoga, type GatewayYoga } from './gateway-yoga.js'
import type { ForeignPlugin, GatewayPlugin } from './operation-context.js'
import type { StreamsOptions } from './stream/streams.js'

interface YogaParts extends Pick<StreamsOptions, 'places' | 'costly'> {
  readonly operations: OperationStore
  /** The documents of REST by their SHA-256. Clients may send these hashes without having sent the texts. */
  readonly publishedTexts: () => Promise<PublishedTexts>
}

type YogaConfig = Pick<Config, 'trustedDocuments' | 'introspection' | 'upgradeUrl'>

/** Creates the yoga instance with the gateway's plugins, followed by those of an operator. */
export function configuredYoga(
  config: YogaConfig,
  { operations, publishedTexts, ...parts }: YogaParts,
  plugins: readonly ForeignPlugin[] = [],
): GatewayYoga {
  const { trustedDocuments: path } = config
  const documents =
    path === null
      ? usePersistedDocuments(operations, publishedTexts)
      : useTrustedDocuments(loadTrustedTexts(path, graphSchema))
  const ours = gatewayPlugins({
    ...config,
    ...parts,
    schema: graphSchema,
    documents,
    isTrustedOnly: path !== null,
  })
  return createGatewayYoga(graphSchema, [...ours, ...(plugins as readonly GatewayPlugin[])])
}
