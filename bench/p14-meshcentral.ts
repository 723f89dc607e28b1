import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser } from '@playwright/test'
import { largestPaint, openBrowser } from './browser.ts'
import { interleaved, notRun, row, sampleOf, sized } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { treeCpuSeconds, treePss } from './processes.ts'
import { fetched, mdm, meshCentral, up, version } from './products.ts'
import type { Product } from './products.ts'

const rounds = sized(3, 1)
const settle_ms = 8_000
const mib = 1024 * 1024

type Shown = Sample & { painted_ms: number }

/** P14: this server beside MeshCentral, which is fetched for it into a folder of its own and runs nothing while it is installed. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), 'mdm-p14-'))
  try {
    const why = await fetched(home)
    if (why !== undefined) return [notRun('P14', `MeshCentral ${version}`, why)]
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
    const browser = await openBrowser().catch((error: Error) => error)
    if (browser instanceof Error) rows.push(notRun('P14', 'sign-in page', browser.message.split('\n', 1)[0]!))
    else
      try {
        const pages = (await both('sign-in page', (of) => signIn(browser, of))) as [Shown, Shown][]
        const painted = pages.map(([a, b]): [Sample, Sample] => [sampleOf(a.painted_ms), sampleOf(b.painted_ms)])
        rows.push(less('sign-in page, KiB over the wire', pages), less('sign-in page, LCP in ms', painted))
      } finally {
        await browser.close()
      }
    return rows
  } finally {
    await rm(home, { recursive: true, force: true })
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
    const painted_ms = await largestPaint(page)
    await context.close()
    return { ...sampleOf(bytes / 1024), painted_ms }
  })
