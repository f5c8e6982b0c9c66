import { graphSchema } from './schema.js'
import { servedScopes } from './schema-kit/served-scopes.js'

/** The scopes that this version of the gateway offers. */
export const SERVED_SCOPES = servedScopes(graphSchema)
