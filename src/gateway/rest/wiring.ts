import { getPublicUrl } from '../../config/public-url.js'
import type { Config } from '../../config.js'
import { VERSION } from '../../platform/version.js'
import { restSchema } from '../../schema.js'
import { ANSWER_EXAMPLES } from './openapi/answer-examples.js'
import { buildOpenApi } from './openapi/openapi.js'
import type { OpenApiForm } from './openapi/openapi-form.js'

/** The OpenAPI documents as JSON text. Each is built when it is first requested. */
export type OpenApiTexts = Readonly<Record<OpenApiForm, () => Promise<string>>>

export function configuredOpenApi(config: Config): OpenApiTexts {
  return { short: builtOnce(config, 'short'), full: builtOnce(config, 'full') }
}

function builtOnce(config: Config, form: OpenApiForm): () => Promise<string> {
  let text: Promise<string> | undefined
  return () => (text ??= openApiText(config, form))
}

async function openApiText(config: Config, form: OpenApiForm): Promise<string> {
  return JSON.stringify(
    await buildOpenApi(restSchema, {
      version: VERSION,
      serverUrl: config.publicUrl === null ? '/' : getPublicUrl(config),
      examples: ANSWER_EXAMPLES,
      environment: config.isDevelopment ? 'local development' : 'production',
      form,
    }),
  )
}
