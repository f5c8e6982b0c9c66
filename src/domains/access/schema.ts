import './account-schema.js'
import './key-schema.js'
import './sql-credential-schema.js'
