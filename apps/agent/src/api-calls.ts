import { sha256 as digestOf } from '#platform'
import * as z from 'zod'
import { api_method_max, ApiList, ApiManifest, apiRefusal, limits } from '@mdm/device-link'
import type { ApiAuthorisation, ApiRefused } from '@mdm/device-link'
import { TaskFailure } from './body/body.ts'
import type { Body, DeviceEventOf } from './body/body.ts'
import { asFailure } from './body/failures.ts'
import { fetchJson } from './bulk.ts'
import type { Bulk } from './bulk.ts'
import type { Clock } from './clock.ts'
import { jsonOf } from './os-keys.ts'
import type { OsKeyRing } from './os-keys.ts'
import type { Store } from './store.ts'

/** A call as an app makes it. Who the app is, the system says and not the app. */
export const LocalCall = z.object({
  package: z.string().regex(/^[^\p{Cc}\p{Cf}]{1,200}$/u),
  cert_sha1: z
    .string()
    .max(59)
    .overwrite((text) => text.replaceAll(':', '').toLowerCase())
    .regex(/^(?:[0-9a-f]{40})?$/),
  method: z
    .string()
    .max(api_method_max)
    .regex(/^[\w$.]+$/),
})
export type LocalCall = z.infer<typeof LocalCall>
export type LocalAnswer = { ok: true; data: unknown } | { ok: false; code: string; message: string }
export type ApiCalls = Awaited<ReturnType<typeof openApiCalls>>

/** What an app can call here that is allowed to. Others are allowed by a list and carried out by nobody. */
const methods: Record<string, (body: Body) => Promise<unknown>> = {
  'mdm.Device.identity': (body) => body.identity(),
  'mdm.Device.state': (body) => body.state(),
  async 'mdm.Device.build'(body) {
    const { uid, os_version, version_code, ver } = await body.inventory()
    return { uid, os_version, version_code, ver }
  },
}

const document = 'api_list'
const Held = z.object({ manifest: z.string() })
const Reply = z.object({ data: ApiList })
const fetch_ms = 30_000
/** The same call that is refused again within it is counted, and told once. */
const told_every_ms = 60_000
/**
 * Different calls that are refused within it; more of them are only written into the log. Each is told at most twice, so that an app
 * that asks for everything uses up half of the events that a device may send, and leaves room for those that matter more.
 */
const told_max = Math.floor(limits.events_per_hour / 60 / 4)

type Options = {
  store: Store
  body: Body
  bulk: Bulk
  clock: Clock
  os_keys: OsKeyRing
  log: (line: string) => void
  add: (events: DeviceEventOf[]) => Promise<void>
  /** The list that the configuration names; undefined: none. */
  in_force: () => ApiAuthorisation | undefined
}
type Refused = { detail: Omit<ApiRefused, 'count'>; count: number; told_at: number }

/** Which apps may call what of this device, and what it refused. */
export async function openApiCalls({ store, body, bulk, clock, os_keys, log, add, in_force }: Options) {
  const held = Held.safeParse(await store.read(document).catch(() => undefined)).data
  let list = manifestIn(held?.manifest)
  let sha256 = held && digestOf(held.manifest)
  const refused = new Map<string, Refused>()

  async function fetched(wanted: ApiAuthorisation, signal: AbortSignal): Promise<void> {
    const late = AbortSignal.any([signal, AbortSignal.timeout(fetch_ms)])
    const { data } = await fetchJson(bulk, '/device/api-authorisations', (json) => Reply.parse(json), late)
    await os_keys.assertSigned(data, late)
    const next = manifestIn(data.manifest)
    if (!next) throw new TaskFailure('os_manifest_bad', 'What is signed is no list of calls')
    const { uid } = await body.inventory()
    if (next.uid.toLowerCase() !== uid?.trim().toLowerCase())
      throw new TaskFailure('other_uid', `The list is for devices with the UID ${next.uid}`)
    // One from before is as well signed as the new one.
    const is_older = next.version < wanted.version || (list?.uid === next.uid && next.version < list.version)
    const is_it = next.version > wanted.version || digestOf(data.manifest) === wanted.sha256
    if (is_older || !is_it) throw new TaskFailure('os_manifest_bad', 'It is not the list that is in force')
    await store.write(document, { manifest: data.manifest })
    list = next
    sha256 = digestOf(data.manifest)
  }

  /** Tells what was refused, the same thing once a minute. */
  async function tell(): Promise<void> {
    const now = clock.now()
    const due = [...refused].filter(([, { told_at }]) => now.getTime() - told_at >= told_every_ms)
    for (const [key] of due) refused.delete(key)
    await add(due.flatMap(([, { detail, count }]) => (count > 0 ? [eventOf(detail, count, now)] : [])))
  }

  async function note(detail: Omit<ApiRefused, 'count'>): Promise<void> {
    const { package: name, cert_sha1, method, reason } = detail
    log(`call ${method} of ${name} (${cert_sha1 || 'unsigned'}) refused: ${reason}`)
    const key = JSON.stringify(detail)
    const known = refused.get(key)
    const now = clock.now()
    if (known) known.count += 1
    else if (refused.size < told_max) {
      refused.set(key, { detail, count: 0, told_at: now.getTime() })
      await add([eventOf(detail, 1, now)])
    }
  }

  return {
    tell,
    /** Takes the list that a configuration names. What was held before counts until the new one is there. */
    async hold(wanted: ApiAuthorisation, signal: AbortSignal): Promise<void> {
      if (!list || sha256 !== wanted.sha256) await fetched(wanted, signal)
    },
    async call(json: unknown): Promise<LocalAnswer> {
      const asked = LocalCall.safeParse(json)
      if (!asked.success) return { ok: false, code: 'bad_params', message: z.prettifyError(asked.error).slice(0, 500) }
      const { method } = asked.data
      const reason = apiRefusal(in_force() && list, asked.data)
      if (reason) {
        await note({ ...asked.data, reason })
        return { ok: false, code: reason, message: `${method} is not allowed to this app` }
      }
      const run = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (!run) return { ok: false, code: 'not_supported', message: `This device does not have ${method}` }
      try {
        return { ok: true, data: await run(body) }
      } catch (error) {
        const { code, message } = asFailure(error)
        return { ok: false, code, message }
      }
    },
  }
}

const eventOf = (detail: Omit<ApiRefused, 'count'>, count: number, at: Date): DeviceEventOf => ({
  type: 'api_refused',
  at: at.toISOString(),
  detail: { ...detail, count },
})
const manifestIn = (text: string | undefined): ApiManifest | undefined =>
  text === undefined ? undefined : ApiManifest.safeParse(jsonOf(text)).data
