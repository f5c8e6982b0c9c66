// The operator's tool: accounts, keys, grants, usage, audit, doctor. npm run -s admin -- --help
import { runAdmin } from './admin/run.js'

const { code, out, err } = await runAdmin(process.argv.slice(2), process.env)
process.stdout.write(out)
process.stderr.write(err)
process.exitCode = code
