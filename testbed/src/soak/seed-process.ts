// Prepares the data of a server for a soak, with room for its devices: prints one line of JSON and ends.
import { readConfig } from '@mdm/server/config.ts'
import { startServer } from '@mdm/server/server.ts'
import { seed, signedIn } from '../seed.ts'

const server = await startServer(readConfig(process.env, { env_file: '/nonexistent' }))
const { account_kid, root } = (await seed(server.deps)).customers[0]!
await server.deps.db
  .updateTable('account')
  .set({ terminal_max: Number(process.env['SOAK_DEVICES']) })
  .where('kid', '=', account_kid)
  .execute()
const { identity } = await signedIn(server.url, server.deps, root)
console.log(JSON.stringify({ token: identity.token }))
await server.close()
process.exit(0)
