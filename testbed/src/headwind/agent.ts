import { createHash } from 'node:crypto'

export type HeadwindOptions = {
  server: string
  /** What the QR code says beside the server: the configuration. */
  token: string
  serial?: string
  model?: string
  /** The build that anybody can make has no kiosk. */
  launcher?: 'opensource' | 'master'
  version?: string
  now?: () => number
}
type App = { pkg: string; name?: string; version: string; code?: number; url?: string | null; remove?: boolean }
type FileOf = { path: string; url: string; lastUpdate: number; checksum: string; remove?: boolean }
type Config = {
  newNumber?: string
  password?: string
  pushOptions: string
  kioskMode?: boolean
  mainApp?: string
  runDefaultLauncher?: boolean
  restrictions?: string
  factoryReset?: boolean
  reboot?: boolean
  downloadUpdates?: string
  applications: App[]
  files: FileOf[]
} & Record<string, unknown>
type Envelope = { status?: string; message?: string | null; data?: unknown }
type Rule = { packageId: string; logLevel: number; filter: string }
type Line = { timestamp: number; logLevel: number; packageId: string; message: string }

class Refused extends Error {
  constructor(
    readonly status: number,
    said: string,
  ) {
    super(said)
  }
}

const itself = 'com.hmdm.launcher'
const digits = (version: string): string => version.replaceAll(/[^\d.]/g, '')
const isHigher = (one: string, other: string): boolean =>
  digits(one).localeCompare(digits(other), 'en', { numeric: true }) > 0

/**
 * The open Headwind MDM agent, written anew from what is known of its protocol: what it sends, what it believes, and what it forgets. A
 * method is a thing that happens to the device; nothing happens by itself.
 */
export class HeadwindAgent {
  server: string
  token: string
  serial: string
  model: string
  readonly launcher: string
  /** What it calls itself by: until it is told another one, its serial number. */
  number: string
  config: Config | undefined
  apps = new Map<string, { version: string; code: number }>()
  files = new Map<string, { at: number; sum: string }>()
  battery = 80
  charger = ''
  location: { ts: number; lat: number; lon: number } | undefined
  is_owner = true
  /** What it did, in order. */
  done: string[] = []
  /** Apps that Android refuses to install. */
  refuses = new Set<string>()
  /** It says that it restarts or resets itself, and does not. */
  is_stuck = false
  private rules: Rule[] = []
  private lines: Line[] = []
  private failed = new Set<string>()
  private readonly now: () => number

  constructor(options: HeadwindOptions) {
    const { server, token, serial = 'HW-1', model = 'PDA-7', launcher = 'opensource', version = '6.36', now } = options
    this.server = server.replace(/\/+$/, '')
    this.token = token
    this.serial = serial
    this.model = model
    this.launcher = launcher
    this.number = serial
    this.now = now ?? Date.now
    this.apps.set(itself, { version, code: 1 })
  }

  async ask(method: 'GET' | 'POST', path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
    const reply = await fetch(`${this.server}/rest/${path}`, {
      method,
      // Anybody knows the secret that this is made of.
      headers: { 'content-type': 'application/json', 'x-request-signature': sha1(`changeme-C3z9vi54${this.number}`) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    if (!reply.ok) throw new Refused(reply.status, `HTTP ${reply.status}`)
    const { status, message, data } = (await reply.json()) as Envelope
    if (status !== 'OK') throw new Refused(200, String(message))
    return data
  }
  /** The kid of the row that it has; it does not know that. */
  get id(): string | undefined {
    const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12}).{64}$/.exec(this.number) ?? []
    return parts.length === 0 ? undefined : parts.join('-')
  }

  info(more: object = {}): Record<string, unknown> {
    const { config } = this
    const listed = new Set((config?.applications ?? []).filter(({ remove }) => !remove).map(({ pkg }) => pkg))
    return {
      ...{ deviceId: this.number, model: this.model, androidVersion: '13', serial: this.serial, cpu: 'arm64-v8a' },
      ...{
        batteryLevel: this.battery,
        batteryCharging: this.charger,
        permissions: [1, 1, 1, 1],
        mdmMode: this.is_owner,
      },
      ...{ launcherType: this.launcher, kioskMode: this.launcher !== 'opensource' && config?.kioskMode === true },
      applications: [...this.apps].flatMap(([pkg, { version }]) =>
        listed.has(pkg) ? [{ pkg, name: pkg, version }] : [],
      ),
      files: (config?.files ?? []).flatMap(({ path }) => {
        const there = this.files.get(path)
        return there ? [{ path, lastUpdate: there.at, checksum: there.sum }] : []
      }),
      ...(this.location && { location: this.location }),
      ...more,
    }
  }

  /** Fetches what the device ought to be; with `loses_answer` the answer never arrives. */
  async fetchConfig({ loses_answer = false } = {}): Promise<Config | undefined> {
    const path = `public/sync/configuration/${encodeURIComponent(this.number)}`
    const data = (
      this.config
        ? await this.ask('GET', path)
        : await this.ask('POST', path, { customer: null, configuration: this.token, groups: null })
    ) as Config
    if (loses_answer) return undefined
    if (data.newNumber) this.number = data.newNumber
    delete data.newNumber
    // A field that must not be absent ends its work.
    for (const { pkg, version, type } of data.applications as (App & { type?: string })[])
      if (typeof pkg !== 'string' || typeof version !== 'string' || typeof type !== 'string')
        throw new Error('unreadable app')
    this.config = data
    return data
  }

  /** All that follows upon a start, an hour, and being told to. */
  async sync(): Promise<void> {
    const config = (await this.fetchConfig())!
    this.rules = (await this.ask('GET', `plugins/devicelog/log/rules/${this.number}`)) as Rule[]
    this.log(3, 'Configuration updated')
    if (config.factoryReset && (await this.confirms('', { factoryReset: this.is_owner }))) {
      this.done.push('reset')
      if (!this.is_stuck) return this.reset()
    }
    if (config.reboot && (await this.confirms('reboot/'))) {
      this.done.push('reboot')
      if (!this.is_stuck) return
    }
    await this.fetchFiles(config)
    await this.changeApps(config)
    await this.report()
    await this.sendLog()
  }
  report = (): Promise<unknown> => this.ask('POST', 'public/sync/info', this.info())

  private async confirms(path: string, more: object = {}): Promise<boolean> {
    try {
      await this.ask('POST', `plugins/devicereset/public/${path}${this.number}`, this.info(more))
      return true
    } catch {
      return false
    }
  }

  private async fetchFiles({ files }: Config): Promise<void> {
    for (const { path, url, lastUpdate } of files) {
      const there = this.files.get(path)
      if (there && there.at >= lastUpdate) continue
      const bytes = await this.download(url, `file ${path}`)
      if (!bytes) continue
      this.files.set(path, { at: lastUpdate, sum: createHash('md5').update(bytes).digest('hex') })
      this.done.push(`file ${path}`)
    }
  }

  private async download(url: string, what: string): Promise<Uint8Array | undefined> {
    const reply = await fetch(url, { headers: { 'accept-encoding': 'identity' } }).catch(() => undefined)
    if (reply?.status === 200 && reply.headers.has('content-length')) return new Uint8Array(await reply.arrayBuffer())
    this.log(2, `Failed to download ${what}: Bad server response for ${url}: ${reply?.status}`)
    return undefined
  }

  private async changeApps({ applications }: Config): Promise<void> {
    for (const { pkg, version } of applications.filter(({ remove }) => remove)) {
      const there = this.apps.get(pkg)
      if (!there || (version !== '0' && digits(version) !== digits(there.version))) continue
      this.apps.delete(pkg)
      this.done.push(`remove ${pkg}`)
    }
    for (const { pkg, version, code = 0, url } of applications.filter(({ remove }) => !remove)) {
      const there = this.apps.get(pkg)
      if (!url || (there && (code === 0 ? digits(there.version) === digits(version) : there.code === code))) continue
      if (there && (code === 0 ? isHigher(there.version, version) : there.code > code)) continue
      if (this.failed.has(url)) {
        this.log(3, `Skip download due to previous install failure: ${pkg}`)
        continue
      }
      if (!(await this.download(url, `app ${pkg}`))) continue
      if (this.refuses.has(pkg)) {
        this.failed.add(url)
        this.log(1, `${pkg} Install failed: INVALID, extra: it is no package`)
        continue
      }
      this.apps.set(pkg, { version, code })
      this.done.push(`install ${pkg}`)
    }
  }

  log(logLevel: number, message: string): void {
    if (this.rules.some((rule) => rule.packageId === itself && rule.logLevel >= logLevel))
      this.lines.push({ timestamp: this.now(), logLevel, packageId: itself, message })
  }
  get lines_waiting(): number {
    return this.lines.length
  }
  async sendLog(): Promise<void> {
    while (this.lines.length > 0) {
      await this.ask('POST', `plugins/devicelog/log/list/${this.number}`, this.lines.slice(0, 10))
      this.lines.splice(0, 10)
    }
  }

  /** One poll; it comes for its configuration when it is told to. Whether it was. */
  async poll(signal?: AbortSignal): Promise<boolean> {
    const messages = (await this.ask('GET', `notification/polling/${this.number}`, undefined, signal)) as {
      messageType: string
    }[]
    const is_told = messages.some(({ messageType }) => messageType === 'configUpdated')
    if (is_told) await this.sync()
    return is_told
  }
  /** As a poll that is not held. */
  async look(): Promise<boolean> {
    const messages = (await this.ask('GET', `notifications/device/${this.number}`)) as unknown[]
    if (messages.length > 0) await this.sync()
    return messages.length > 0
  }

  /** Everything is gone; the QR code is scanned again. */
  reset(): void {
    for (const gone of [this.apps, this.files, this.failed]) gone.clear()
    this.apps.set(itself, { version: '6.36', code: 1 })
    this.config = undefined
    this.number = this.serial
    this.rules = []
    this.lines = []
  }
}

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex').toUpperCase()
