import { servedScopes } from '../graphql/served-scopes.js'
import { graphSchema } from '../schema.js'

/** The scopes that this version of the gateway offers. */
export const SERVED_SCOPES = servedScopes(graphSchema)
