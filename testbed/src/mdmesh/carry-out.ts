import { createHash } from 'node:crypto'
import type { Command, MdmeshAgent } from './agent.ts'

export type Outcome = { status: 'done' | 'failed' | 'unsupported' | 'expired'; detail?: string }
const done = (detail?: string): Outcome => ({ status: 'done', ...(detail === undefined ? {} : { detail }) })
const failed = (detail: string): Outcome => ({ status: 'failed', detail })

/** What each command does to the device; undefined where the agent ends before it can say so. */
export async function carryOut(agent: MdmeshAgent, { type, payload = {} }: Command): Promise<Outcome | undefined> {
  const text = (name: string): string => {
    const value = payload[name]
    if (typeof value !== 'string') throw new Error(`${type} without ${name}`)
    return value
  }
  switch (type) {
    case 'device.alert':
      text('body')
      return done()
    case 'device.lock':
    case 'device.ring':
    case 'device.ringStop':
    case 'config.sync':
      return done()
    case 'device.passcodeReset':
      agent.passcode = text('newPassword')
      return done()
    case 'device.reboot':
      agent.boot()
      return undefined
    case 'device.wipe':
      agent.reset()
      return undefined
    case 'device.locationMode':
      agent.location_mode = text('mode')
      return done(`location mode = ${agent.location_mode}`)
    case 'policy.apply':
      if (typeof payload['value'] !== 'boolean') throw new Error('policy.apply without value')
      if (!agent.is_owner_known) return { status: 'unsupported', detail: `policy not supported: ${text('policy')}` }
      agent.policies[text('policy')] = payload['value']
      return done()
    case 'kiosk.enter':
      agent.kiosk = payload
      return done()
    case 'kiosk.exit':
      agent.kiosk = undefined
      return done()
    case 'apps.scan':
      return done(
        JSON.stringify({
          apps: [...agent.apps].map(([pkg, { version, version_code }]) => ({
            ...{ pkg, label: pkg, launchable: true, versionName: version, versionCode: version_code },
          })),
        }),
      )
    case 'app.uninstall': {
      const name = text('packageName')
      return agent.apps.delete(name) ? done() : done(`skipped: not installed: ${name}`)
    }
    case 'app.install':
      return install(agent, text('packageName'), payload)
    default:
      return { status: 'unsupported', detail: `unknown command type: ${type}` }
  }
}

async function install(
  agent: MdmeshAgent,
  name: string,
  payload: Record<string, unknown>,
): Promise<Outcome | undefined> {
  const version_code = Number(payload['versionCode'] ?? 0)
  const there = agent.apps.get(name)
  if (there && version_code === there.version_code)
    return done(`skipped: already at requested version code ${version_code}`)
  if (there && version_code < there.version_code)
    return failed(`downgrade blocked for ${name}: uninstall the current version first`)
  // Up to 0.3.0 the origin of an address is that of the server.
  const url = new URL(String(payload['url']))
  const origin = agent.profile === '0.3.2' ? url.origin : new URL(agent.server).origin
  const reply = await fetch(origin + url.pathname + url.search).catch(() => undefined)
  if (!reply) return failed('network error')
  if (!reply.ok) return failed(`apk fetch failed: HTTP ${reply.status} for ${url.href}`)
  const sum = sha256(new Uint8Array(await reply.arrayBuffer()))
  if (payload['sha256'] !== undefined && payload['sha256'] !== sum)
    return failed(`checksum mismatch: expected ${String(payload['sha256'])} got ${sum}`)
  if (name === 'com.mdmesh.agent') {
    const [major, minor, patch] = [version_code / 10_000, (version_code / 100) % 100, version_code % 100].map(
      Math.floor,
    )
    agent.version = `${major}.${minor}.${patch}`
    agent.kill({ loses_events: true })
    return undefined
  }
  agent.apps.set(name, { version_code, version: String(version_code) })
  return done()
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
