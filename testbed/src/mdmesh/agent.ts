import { randomBytes } from 'node:crypto'
import { WebSocket } from 'ws'
import { carryOut } from './carry-out.ts'
import type { Outcome } from './carry-out.ts'

/** Versions that behave otherwise: 0.2.1 knows what it may do only after a restart, 0.3.2 has what came later. */
export type Profile = '0.2.1' | '0.2.5' | '0.3.2'
export type MdmeshOptions = {
  server: string
  token: string
  profile?: Profile
  hardware_id?: string | undefined
  serial?: string
  model?: string
  sdk?: number
  /** It tells what it may do before it can do it, as is seen after an enrolment. */
  tells_policies?: boolean
  /** Milliseconds; the device's clock goes with it. */
  now?: () => number
  /** What a proxy in front of the server adds. */
  headers?: Record<string, string>
}
export type Command = { commandId: string; issuedAt: string; type: string; payload?: Record<string, unknown> }
type Result = { commandId: string; status: string; detail?: string; completedAt: string }
type Envelope = { status?: unknown; message?: unknown; data?: unknown }

/** What the agent does with an answer that it cannot parse: it drops it, and all that is in it. */
class Unreadable extends Error {}

/**
 * The open MDMesh agent, written anew from what is known of its protocol: what it sends, what it leaves out, and what it forgets. A
 * method is a thing that happens to the device; nothing happens by itself.
 */
export class MdmeshAgent {
  readonly profile: Profile
  readonly token: string
  server: string
  hardware_id: string | undefined
  serial: string | undefined
  model: string
  sdk: number
  id: string | undefined
  secret: string | undefined
  version: string
  apps = new Map<string, { version_code: number; version: string }>([
    ['com.android.settings', { version_code: 1, version: '1' }],
  ])
  policies: Record<string, boolean> = {}
  kiosk: Record<string, unknown> | undefined
  location_mode = 'passive'
  passcode: string | undefined
  battery = 80
  is_charging = false
  network: 'wifi' | 'cellular' | 'none' = 'wifi'
  location: { lat: number; lon: number; accuracyM: number; provider: string; capturedAt: number } | undefined
  /** What it finds where it looks for its place at a check-in; otherwise it tells the last that it knows. */
  fresh: (() => NonNullable<MdmeshAgent['location']>) | undefined
  /** What it did, in order. */
  done: string[] = []
  /** Times that it was told over its socket to come. */
  wakes = 0
  private readonly tells_policies: boolean
  /** Of each command, what it says instead of doing it. */
  refuses: Record<string, Outcome> = {}
  private readonly now: () => number
  private readonly headers: Record<string, string>
  private booted_at: number
  private events: { type: string; ts: number; detail?: string }[] = []
  private results: Result[] = []
  private known = new Set<string>()
  /** It began before the device was its own: until it is started again it does not know what it may do. */
  private knows_owner: boolean
  private socket: WebSocket | undefined

  constructor({
    server,
    token,
    profile = '0.3.2',
    hardware_id,
    serial,
    model = 'TC-10',
    sdk = 33,
    now = Date.now,
    tells_policies = false,
    headers = {},
  }: MdmeshOptions) {
    this.headers = headers
    Object.assign(this, { hardware_id: hardware_id ?? randomBytes(8).toString('hex') })
    this.server = server
    this.token = token
    this.profile = profile
    this.version = profile
    this.serial = serial
    this.model = model
    this.sdk = sdk
    this.now = now
    this.booted_at = now() - 60_000
    this.knows_owner = profile === '0.3.2'
    this.tells_policies = tells_policies
  }

  get is_owner_known(): boolean {
    return this.knows_owner
  }

  async post(path: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
    const reply = await fetch(`${new URL(this.server).origin}/rest/public/agent/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', ...this.headers, ...headers },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`HTTP ${reply.status}`)
    const { status, message, data } = (await reply.json()) as Envelope
    if (status !== 'OK' || typeof data !== 'object' || data === null) throw new Error(String(message))
    return data
  }

  /** One call; the agent may make several at a time, and keeps what the last answer said. */
  async enrol(): Promise<void> {
    const data = (await this.post('enroll', {
      enrollToken: this.token,
      agent: { version: this.version, package: 'com.mdmesh.agent' },
      device: {
        id: '',
        androidSdkInt: this.sdk,
        androidRelease: '13',
        manufacturer: 'Acme',
        model: this.model,
        isDeviceOwner: this.knows_owner,
      },
      capabilities: {},
      ...(this.hardware_id === undefined ? {} : { hardwareId: this.hardware_id }),
    })) as { deviceId?: unknown; deviceSecret?: unknown }
    if (typeof data.deviceId !== 'string' || typeof data.deviceSecret !== 'string')
      throw new Unreadable('no credentials')
    this.id = data.deviceId
    this.secret = data.deviceSecret
    this.events.push({ type: 'enrolled', ts: this.now() })
  }

  body(): Record<string, unknown> {
    const policy =
      this.knows_owner || this.tells_policies || this.profile !== '0.2.1'
        ? ['wifi', 'camera', 'screenshots', 'bluetooth', 'usbStorage']
        : []
    if (this.profile === '0.3.2') policy.push('factoryReset')
    const device = [
      'lock',
      'reboot',
      'lockscreenMessage',
      'alert',
      'ring',
      'ringStop',
      'passcodeReset',
      'wipe',
      'powerMode',
      'locationMode',
    ]
    if (this.profile === '0.3.2') device.push('configApply')
    const { booted_at } = this
    if (this.location_mode === 'active' && this.fresh) this.location = this.fresh()
    return {
      deviceId: this.id,
      capabilities: { policy, ...(this.knows_owner ? { appManagement: ['silentInstall'] } : {}), device },
      ...(this.results.length > 0 ? { results: this.results.slice() } : {}),
      state: {
        battery: this.battery,
        charging: this.is_charging,
        locked: false,
        kioskActive: this.kiosk !== undefined,
        androidRelease: '13',
        lastBootAt: booted_at,
        agentVersion: this.version,
        powerMode: 'adaptive',
      },
      telemetry: {
        dynamic: {
          batteryPct: this.battery,
          batteryHealth: 'good',
          batteryTempC: 31.5,
          batteryVoltageMv: 4010,
          chargingSource: this.is_charging ? 'usb' : 'none',
          freeStorageBytes: 20_000_000_000,
          freeRamBytes: 1_000_000_000,
          networkType: this.network,
          ...(this.network === 'wifi'
            ? { wifiSsid: 'Depot', wifiBssid: '02:00:00:00:00:00', ipAddress: '192.168.1.20', wifiRssi: -61 }
            : {}),
          screenOn: true,
          locked: false,
          kioskActive: this.kiosk !== undefined,
          uptimeMs: this.now() - booted_at,
          // It jitters.
          lastBootAt: booted_at + Math.round(Math.sin(this.now()) * 40),
          ...(this.location ? { location: this.location } : {}),
        },
        hardware: {
          manufacturer: 'Acme',
          brand: 'acme',
          model: this.model,
          device: 'tc10',
          osRelease: '13',
          sdkInt: this.sdk,
          buildFingerprint: 'acme/tc10',
          abis: ['arm64-v8a', 'armeabi-v7a'],
          totalRamBytes: 4_000_000_000,
          totalStorageBytes: 64_000_000_000,
          screenWidthPx: 1080,
          screenHeightPx: 1920,
          densityDpi: 420,
        },
        ...(this.serial === undefined ? {} : { identity: { serial: this.serial } }),
        security: { storageEncrypted: true, deviceSecure: false, adbEnabled: false, isDeviceOwner: true },
      },
      ...(this.events.length > 0 ? { events: this.events.slice(-500) } : {}),
      ...(this.hardware_id === undefined ? {} : { hardwareId: this.hardware_id }),
    }
  }

  /** Says all, and does what it is told. With `loses_answer` the answer never arrives. The commands that came. */
  async checkIn({ loses_answer = false, more = {} }: { loses_answer?: boolean; more?: object } = {}): Promise<
    Command[]
  > {
    if (this.id === undefined) await this.enrol()
    const sent = { results: this.results.length, events: this.events.length }
    const data = await this.post('checkin', { ...this.body(), ...more }, { authorization: `Bearer ${this.secret}` })
    if (loses_answer) return []
    const commands = readCommands(data)
    this.results.splice(0, sent.results)
    this.events.splice(0, sent.events)
    for (const command of commands) await this.take(command)
    return commands
  }

  private async take(command: Command): Promise<void> {
    const { commandId } = command
    const completedAt = new Date(this.now()).toISOString()
    if (this.known.has(commandId)) {
      this.results.push({ commandId, status: 'done', detail: 'duplicate ignored', completedAt })
      return
    }
    this.known.add(commandId)
    this.done.push(command.type)
    const outcome = this.refuses[command.type] ?? (await carryOut(this, command))
    // It was lost with the process.
    if (!outcome) return
    this.results.push({ commandId, completedAt, ...outcome })
    this.events.push({ type: 'commandResult', ts: this.now(), detail: `${commandId}:${outcome.status.toUpperCase()}` })
  }

  /** The process ends and begins anew; without its events what it did is not told at all. */
  kill({ loses_events = false } = {}): void {
    this.results = []
    this.known.clear()
    if (loses_events) this.events = []
    this.knows_owner = true
    this.disconnect()
  }
  boot(): void {
    this.kill()
    this.booted_at = this.now()
    this.events.push({ type: 'boot', ts: this.now() })
  }
  /** Everything is gone; the QR code is scanned again. */
  reset(): void {
    this.boot()
    this.events = []
    this.apps.clear()
    Object.assign(this, { id: undefined, secret: undefined, kiosk: undefined, policies: {}, passcode: undefined })
    this.knows_owner = this.profile === '0.3.2'
  }
  happens(type: string, detail?: string): void {
    this.events.push({ type, ts: this.now(), ...(detail === undefined ? {} : { detail }) })
  }

  /** Opens the socket; `onWake` is what the agent does when it is told to come. */
  async connect(onWake: () => Promise<unknown>): Promise<void> {
    const socket = new WebSocket(`${this.server.replace(/^http/, 'ws')}/agent/ws/${this.id}`, {
      headers: { ...this.headers, authorization: `Bearer ${this.secret}` },
    })
    this.socket = socket
    socket.on('error', () => {})
    socket.on('message', (text: Buffer) => {
      const said = JSON.parse(text.toString()) as { wake?: unknown }
      if (said.wake === undefined) return
      this.wakes += 1
      void onWake().catch(() => {})
    })
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('close', () => reject(new Error('closed')))
    })
  }
  ping(): void {
    this.socket?.ping()
  }
  get is_connected(): boolean {
    return this.socket?.readyState === WebSocket.OPEN
  }
  disconnect(): void {
    this.socket?.terminate()
    this.socket = undefined
  }
}

/** As its parser does: a required field that is missing or of another type makes all of the answer worthless. */
function readCommands(data: unknown): Command[] {
  const { commands } = data as { commands?: unknown }
  if (!Array.isArray(commands)) throw new Unreadable('commands')
  for (const each of commands as Record<string, unknown>[]) {
    for (const field of ['commandId', 'issuedAt', 'type'])
      if (typeof each[field] !== 'string') throw new Unreadable(field)
    const { payload, ttlSeconds } = each
    if (payload !== undefined && (typeof payload !== 'object' || Array.isArray(payload)))
      throw new Unreadable('payload')
    if (ttlSeconds !== undefined && ttlSeconds !== null && typeof ttlSeconds !== 'number')
      throw new Unreadable('ttlSeconds')
  }
  return commands as Command[]
}
