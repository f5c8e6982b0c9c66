/** Published with the source, so used only where other users reach neither the gateway nor its database. */
export const DEVELOPMENT_PEPPER = 'development-pepper-known-to-everybody'
export const DEVELOPMENT_JWT_SECRET = Buffer.from('development-signing-key-known-to-everybody').toString(
  'base64url',
)
