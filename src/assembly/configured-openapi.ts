import type { Config } from '../config.js'
import { VERSION } from '../platform/version.js'
import { ANSWER_EXAMPLES } from '../rest/openapi/answer-examples.js'
import { buildOpenApi } from '../rest/openapi/openapi.js'
import { restSchema } from '../schema.js'
import { publicUrlOf } from './public-url.js'

/** The OpenAPI document of an installation as JSON text; made when it is first asked for. */
export function configuredOpenApi(config: Config): () => string {
  let text: string | undefined
  return () => (text ??= openApiText(config))
}

function openApiText(config: Config): string {
  return JSON.stringify(
    buildOpenApi(restSchema, {
      version: VERSION,
      serverUrl: config.publicUrl ?? '/',
      sampleUrl: publicUrlOf(config),
      examples: ANSWER_EXAMPLES,
      environment: config.isDevelopment ? 'local development' : 'production',
    }),
  )
}
