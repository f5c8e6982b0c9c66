import { getPublicUrl } from '../../config/public-url.js'
import type { Config } from '../../config.js'
import { VERSION } from '../../platform/version.js'
import { restSchema } from '../../schema.js'
import { ANSWER_EXAMPLES } from './openapi/answer-examples.js'
import { buildOpenApi } from './openapi/openapi.js'

/** Returns a function that builds the OpenAPI document as JSON text when first called. */
export function configuredOpenApi(config: Config): () => Promise<string> {
  let text: Promise<string> | undefined
  return () => (text ??= openApiText(config))
}

async function openApiText(config: Config): Promise<string> {
  return JSON.stringify(
    await buildOpenApi(restSchema, {
      version: VERSION,
      serverUrl: config.publicUrl ?? '/',
      sampleUrl: getPublicUrl(config),
      examples: ANSWER_EXAMPLES,
      environment: config.isDevelopment ? 'local development' : 'production',
    }),
  )
}
