import './account-schema.js'
import './key-schema.js'
import './sql-credentials/sql-credential-schema.js'
