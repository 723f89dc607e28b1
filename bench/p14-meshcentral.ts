import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import type { Browser } from '@playwright/test'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { interleaved, row, sampleOf } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { soon } from './p10-start.ts'
import { start, treeCpuSeconds, treePids, treePss } from './processes.ts'
import type { Running } from './processes.ts'

const version = '1.1.55'
const fetch_ms = 300_000
const rounds = 3
const settle_ms = 8_000
const mib = 1024 * 1024

/** A server that can be started again on what it has kept, and the page where people sign in. */
type Product = { begin(): Running; url: string }

type Shown = Sample & { painted_ms: number }

/** P14: this server beside MeshCentral, which is fetched for it into a folder of its own and runs nothing while it is installed. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), 'mdm-p14-'))
  try {
    const why = await fetched(home)
    if (why !== undefined) return [notRun(`MeshCentral ${version}`, why)]
    const [ours, theirs] = [await mdm(join(home, 'mdm')), await meshCentral(home)]
    // What a first start makes, such as certificates, is there afterwards.
    for (const each of [ours, theirs]) await up(each, async () => delay(settle_ms))
    const both = (what: string, measure: (of: Product) => Promise<Sample>) => {
      log(what)
      return interleaved(
        rounds,
        () => measure(ours),
        () => measure(theirs),
      )
    }
    const restarts = await both('restarts', restart)
    const memory = await both('memory at rest', atRest)
    const less = (what: string, pairs: [Sample, Sample][], notes?: string[]) =>
      row('P14', `${what} / MeshCentral ${version}`, pairs, '< 1', (r) => r.median < 1, notes)
    const rows = [less('restart to first page, s', restarts), less('memory at rest, MiB (PSS)', memory)]
    const browser = await opened().catch((error: Error) => error)
    if (browser instanceof Error) rows.push(notRun('sign-in page', browser.message.split('\n', 1)[0]!))
    else
      try {
        const pages = (await both('sign-in page', (of) => signIn(browser, of))) as [Shown, Shown][]
        const painted = pages.map(([a, b]): [Sample, Sample] => [sampleOf(a.painted_ms), sampleOf(b.painted_ms)])
        rows.push(less('sign-in page, KiB over the wire', pages), less('sign-in page, LCP in ms', painted))
      } finally {
        await browser.close()
      }
    // The package holds an agent in machine code (agents/meshagent_x86-64). Tried by hand it starts on Debian and finds the libraries of
    // X; joining it to a server by its certificate, and timing the page that shows its pictures, was not done.
    rows.push(notRun('first remote frame', 'its agent starts here, and was not joined to its server'))
    return rows
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Why it is not there; undefined when it is. */
async function fetched(home: string): Promise<string | undefined> {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  try {
    const args = ['install', '--prefix', home, ...quiet, `meshcentral@${version}`]
    await promisify(execFile)('npm', args, { timeout: fetch_ms })
    return undefined
  } catch {
    return 'it could not be fetched'
  }
}

const nothing = { min: 0, median: 0, max: 0 }
const notRun = (what: string, why: string): Row => ({
  ...{ goal: 'P14', what, ours: nothing, limit: nothing, ratio: nothing, cpu_ratio: nothing, wanted: '-' },
  ...{ is_met: true, notes: [`not run: ${why}`] },
})

async function mdm(data: string): Promise<Product> {
  const [http, mqtt] = [await freePort(), await freePort()]
  const env = {
    ...{ MDM_DATA: data, MDM_HTTP_PORT: String(http), MDM_MQTT_PORT: String(mqtt), MDM_LOG_LEVEL: 'error' },
    ...{ MDM_HTTP_HOST: '127.0.0.1', MDM_MQTT_HOST: '127.0.0.1' },
  }
  return { begin: () => start(['apps/server/dist/main.js'], env), url: `http://127.0.0.1:${http}/login` }
}

async function meshCentral(home: string): Promise<Product> {
  const port = await freePort()
  const data = join(home, 'meshcentral-data')
  const settings = {
    ...{ cert: 'localhost', port, aliasPort: port, portBind: '127.0.0.1', exactPorts: true, redirPort: 0, mpsPort: 0 },
    // Without TLS, as ours.
    ...{ tlsOffload: '127.0.0.1', lanOnly: true },
  }
  await mkdir(data, { recursive: true })
  await writeFile(join(data, 'config.json'), JSON.stringify({ settings, domains: { '': {} } }))
  const args = [join(home, 'node_modules', 'meshcentral'), '--datapath', data]
  return { begin: () => start(args, {}), url: `http://127.0.0.1:${port}/` }
}

/** Starts it, works with it once it shows its page, and ends it with all that it has started. */
async function up<T>({ begin, url }: Product, work: (of: Running) => Promise<T>): Promise<T> {
  const of = begin()
  try {
    await soon(async () => {
      const page = await fetch(url, { headers: { accept: 'text/html' } })
      return page.ok && (await page.text()).includes('<html')
    })
    return await work(of)
  } finally {
    const below = treePids(of.pid).slice(1)
    await of.stop()
    for (const pid of below)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended with the one above it.
      }
  }
}

function restart(product: Product): Promise<Sample> {
  const begun = performance.now()
  return up(product, async ({ pid }) => ({
    value: (performance.now() - begun) / 1000,
    cpu_seconds: treeCpuSeconds(pid),
  }))
}

const atRest = (product: Product): Promise<Sample> =>
  up(product, async ({ pid }) => {
    await delay(settle_ms)
    return sampleOf(treePss(pid) / mib)
  })

const opened = (): Promise<Browser> => {
  const executablePath = process.env['MDM_TEST_CHROMIUM']
  // As root, and without asking the Internet anything.
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
  return chromium.launch({ ...(executablePath ? { executablePath } : {}), args })
}

/** KiB that came for the page, and the milliseconds until the largest of it was painted. */
const signIn = (browser: Browser, product: Product): Promise<Shown> =>
  up(product, async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const network = await context.newCDPSession(page)
    await network.send('Network.enable')
    let bytes = 0
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await page.goto(product.url, { waitUntil: 'networkidle' })
    // As text: types of Node do not know this kind of entry.
    const painted_ms = await page.evaluate<number>(`new Promise((resolve) =>
      new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
        .observe({ type: 'largest-contentful-paint', buffered: true }))`)
    await context.close()
    return { ...sampleOf(bytes / 1024), painted_ms }
  })
