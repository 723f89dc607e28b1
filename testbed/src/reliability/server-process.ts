// A server of its own process, so that a test can kill it: prints one line of JSON when it serves.
import { readConfig } from '@mdm/server/config.ts'
import { startServer } from '@mdm/server/server.ts'
import { seed, signedIn } from '../seed.ts'

const server = await startServer(readConfig(process.env, { env_file: '/nonexistent' }))
process.once('SIGTERM', () => {
  void server
    .drain()
    .then(() => server.close())
    .then(() => process.exit(0))
})
const existing = await server.deps.db
  .selectFrom('user_account')
  .select(['kid'])
  .where('username', '=', 'sunrise')
  .executeTakeFirst()
const root = existing ? { user_kid: existing.kid } : (await seed(server.deps)).customers[0]!.root
const provider = await server.deps.db
  .selectFrom('user_account')
  .select('kid')
  .where('username', '=', 'operator')
  .executeTakeFirstOrThrow()
const operator = await signedIn(server.url, server.deps, { user_kid: provider.kid })
const { identity } = await signedIn(server.url, server.deps, root)
console.log(
  JSON.stringify({
    url: server.url,
    mqtt_url: server.mqtt_url,
    token: identity.token,
    operator_token: operator.identity.token,
  }),
)
