import { Readable } from 'node:stream'
import { addApp } from '@mdm/server/testing/apps.ts'
import { insert } from '@mdm/server/modules/push/push-task/index.ts'
import { digest, newKid, newSecret } from '@mdm/server/lib/ids.ts'
import { startLink } from '@mdm/server/link/link.ts'
import { edgeBroker, seedDevices } from '@mdm/server/testing/fleet.ts'
import { testHttpServer } from '@mdm/server/testing/http-server.ts'
import { pusher } from '@mdm/server/testing/push-tasks.ts'
import { MdmeshAgent } from './agent.ts'
import type { MdmeshOptions } from './agent.ts'

const minute = 60_000

/** The server's edge and link on a clock that stands still, with an account and a code that registers any number of devices. */
export async function gatewayWorld() {
  const http = await testHttpServer()
  const { deps } = http
  deps.config.public_url = http.url
  const edge = edgeBroker()
  const link = await startLink(deps, { broker: edge.start })
  Object.assign(deps.link, link)
  const { account_kid } = await seedDevices(deps, 0)
  await deps.db.updateTable('account').set({ terminal_max: 10_000 }).where('kid', '=', account_kid).execute()

  async function code(
    more: { account_kid?: string; is_permanent?: boolean; expires_at?: Date | null; needs_approval?: boolean } = {},
  ) {
    const token = newSecret()
    const kid = newKid()
    await deps.db
      .insertInto('qrcode')
      .values({
        ...{ kid, account_kid, token_hash: digest(token), terminal_group_kid: null, created_by_kid: newKid() },
        ...{ is_permanent: true, expires_at: null },
        ...more,
      })
      .execute()
    return { kid, token }
  }
  const { token } = await code()
  const agent = (more: Partial<MdmeshOptions> = {}): MdmeshAgent =>
    new MdmeshAgent({ server: http.url, token, now: () => deps.clock.now().getTime(), ...more })
  const joined = async (more: Partial<MdmeshOptions> = {}): Promise<MdmeshAgent> => {
    const made = agent(more)
    await made.enrol()
    await made.checkIn()
    // The scan of its apps is told with the next.
    await deps.clock.advance(minute)
    await made.checkIn()
    return made
  }
  const terminal = (kid: string | undefined) =>
    deps.db.selectFrom('terminal').selectAll().where('kid', '=', kid!).executeTakeFirstOrThrow()
  const state = (kid: string | undefined) =>
    deps.db.selectFrom('terminal_state').selectAll().where('terminal_kid', '=', kid!).executeTakeFirstOrThrow()
  const push = async (
    made: Pick<MdmeshAgent, 'id'>,
    what: { type: string; payload: object } & Record<string, unknown>,
  ) => {
    const { kid } = await insert(pusher(deps, account_kid), {
      terminal_kids: [made.id!],
      description: '',
      ...what,
    } as never)
    return {
      kid,
      row: () =>
        deps.db.selectFrom('push_task_terminal').selectAll().where('push_task_kid', '=', kid).executeTakeFirstOrThrow(),
    }
  }
  /** An app of the account whose package can be fetched, pushed to one device. */
  async function pushApp(
    made: Pick<MdmeshAgent, 'id'>,
    app: { package: string; version_code: number; version?: string; may_downgrade?: boolean } & Record<string, unknown>,
  ) {
    const { package: named, version_code, version = String(version_code), may_downgrade = false, ...asked } = app
    const object = newKid()
    const bytes = await deps.objects.put(object, Readable.from([Buffer.from(`${named} ${version}`)]), 1_000)
    const app_kid = await addApp(deps, {
      ...{ account_kid, package: named, version_name: version, version_code },
      bytes: { ...bytes, object },
    })
    return push(made, { type: 'app_install', payload: { apps: [{ app_kid }], may_downgrade }, ...asked })
  }
  /** Time passes, and the device comes. */
  const later = async (made: MdmeshAgent, ms = 10 * minute) => {
    await deps.clock.advance(ms, minute / 2)
    return made.checkIn()
  }
  return {
    ...{ http, deps, link, edge, account_kid, code, token, agent, joined, terminal, state, push, pushApp, later },
    async close() {
      await link.close()
      await http.close()
    },
  }
}
export type GatewayWorld = Awaited<ReturnType<typeof gatewayWorld>>
