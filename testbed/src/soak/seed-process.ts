// Prepares the data of a server for a soak, with room for its devices: prints one line of JSON and ends.
import { readConfig } from '@mdm/server/config.ts'
import { startServer } from '@mdm/server/server.ts'
import { seed, signedIn } from '../seed.ts'

const server = await startServer(readConfig(process.env, { env_file: '/nonexistent' }))
const { customers, operator } = await seed(server.deps)
const { account_kid, root } = customers[0]!
// Beside those that its sub-accounts have a share of.
await server.deps.db
  .updateTable('account')
  .set((eb) => ({ terminal_max: eb('terminal_max', '+', Number(process.env['SOAK_DEVICES'])) }))
  .where('kid', '=', account_kid)
  .execute()
const { identity } = await signedIn(server.url, server.deps, root)
const provider = await signedIn(server.url, server.deps, operator)
console.log(JSON.stringify({ token: identity.token, operator_token: provider.identity.token }))
await server.close()
process.exit(0)
