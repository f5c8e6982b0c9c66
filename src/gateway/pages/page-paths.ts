/** The name of the gateway in the pages. */
export const PRODUCT = 'Market Data Gateway'
export const DOCS_PATH = '/docs'
export const GUIDES_PATH = `${DOCS_PATH}/guides`
export const OPENAPI_PATH = '/openapi.json'
/** The document for generated clients. */
export const FULL_OPENAPI_PATH = '/openapi-full.json'
export const HEALTH_PATH = '/healthz'
