import './accounts/account-schema.js'
import './keys/key-schema.js'
import './sql-credentials/sql-credential-schema.js'
