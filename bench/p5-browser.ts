import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page, Request } from '@playwright/test'
import { largestPaint, openBrowser } from './browser.ts'
import { withSite } from './console-site.ts'
import type { Site } from './console-site.ts'
import { insertFleet } from './device-rows.ts'
import { against, interleaved, notRun, percentile, row, sampleOf, sized } from './measure.ts'
import type { Row, Sample } from './measure.ts'
import { startNginx } from './nginx.ts'
import { treeCpuSeconds } from './processes.ts'

const [rounds, devices] = [sized(5, 1), sized(1_000, 100)]
const [lcp_ms, smooth_ms] = [1_000, 100]
const path = '/device-list?page_size=100'
const settle_ms = 1_500
/** Of processor time the least that is counted; nginx takes less for a page. */
const tick_s = 0.01

/** P5: the device list in a browser that has nothing yet, against a server of files that gives it the same bytes. */
export const run = (log: (text: string) => void): Promise<Row[]> =>
  withSite(async (site) => {
    const browser = await openBrowser().catch((error: Error) => error)
    if (browser instanceof Error) return [notRun('P5', 'device list', browser.message.split('\n', 1)[0]!)]
    const folder = await mkdtemp(join(tmpdir(), 'mdm-p5-'))
    try {
      await insertFleet(site.client, { account_kid: site.account_kid, devices, groups: 20 })
      await site.client.query('VACUUM ANALYZE')
      const parts = await kept(site, await asked(browser, site))
      log(`${parts.length} answers, ${Math.round(parts.reduce((sum, { body }) => sum + body.length, 0) / 1024)} KiB`)
      const nginx = await startNginx(folder, await locationsOf(parts, folder))
      try {
        const look = async (name: string, url: string, pid: number): Promise<Sample> => {
          const before = treeCpuSeconds(pid)
          const value = await withPage(browser, site, url, async (page) => {
            await shown(page, url)
            // What is larger and comes later counts.
            await delay(settle_ms)
            return largestPaint(page)
          })
          log(`${name}: largest paint after ${Math.round(value)} ms`)
          return { value, cpu_seconds: Math.max(tick_s, treeCpuSeconds(pid) - before) }
        }
        const ours = () => look('ours', site.url, site.server.pid)
        const theirs = () => look('nginx', nginx.url('').replace(/\/$/, ''), nginx.pid)
        await ours()
        await theirs()
        const pairs = await interleaved(rounds, ours, theirs)
        const [scrolls, columns]: [Sample[], Sample[]] = [[], []]
        for (let round = 0; round < rounds; round++)
          await withPage(browser, site, site.url, async (page) => {
            await shown(page, site.url)
            await delay(settle_ms)
            scrolls.push(sampleOf(await scrolled(page)))
            columns.push(sampleOf(await columnGone(page)))
            log(
              `scrolling: ${scrolls.at(-1)!.value.toFixed(0)} ms a frame (p95), a column: ${columns.at(-1)!.value.toFixed(0)} ms`,
            )
          })
        const note = `100 rows of ${devices.toLocaleString('en')} devices, 1440 x 900, nothing in the cache; nginx answers calls from files too`
        const mine = pairs.map(([sample]) => sample)
        return [
          row('P5', 'LCP of the device list, ms / the same bytes by nginx', pairs, '<= 1.5', (r) => r.median <= 1.5, [
            note,
          ]),
          row('P5', `the same / ${lcp_ms} ms`, against(mine, lcp_ms), '<= 1', (r) => r.median <= 1),
          row(
            'P5',
            `ms between frames while it scrolls, p95 / ${smooth_ms}`,
            against(scrolls, smooth_ms),
            '<= 1',
            (r) => r.median <= 1,
          ),
          row(
            'P5',
            `ms until a column is gone / ${smooth_ms}`,
            against(columns, smooth_ms),
            '<= 1',
            (r) => r.median <= 1,
          ),
        ]
      } finally {
        await nginx.stop()
      }
    } finally {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    }
  })

async function withPage<T>(
  browser: Browser,
  { token }: Site,
  url: string,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const localStorage = Object.entries({ 'mdm.token': token, 'mdm.language': 'en' }).map(([name, value]) => ({
    name,
    value,
  }))
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    storageState: { cookies: [], origins: [{ origin: url, localStorage }] },
  })
  try {
    return await work(await context.newPage())
  } finally {
    await context.close()
  }
}
const rows = (page: Page) => page.locator('main tbody tr[data-row-key]')
async function shown(page: Page, url: string): Promise<void> {
  const complaints: string[] = []
  page.on('console', (said) => said.type() === 'error' && complaints.push(said.text()))
  page.on('response', (answer) => answer.status() >= 400 && complaints.push(`${answer.status()} ${answer.url()}`))
  await page.goto(`${url}${path}`)
  await rows(page)
    .first()
    .waitFor()
    .catch(async (cause: unknown) => {
      const text = await page.locator('body').innerText()
      throw new Error(`no devices at ${url}: ${complaints.join('; ')}: ${text.slice(0, 400)}`, { cause })
    })
}

type Asked = { method: string; path: string; type: string; body: string | null; headers: Record<string, string> }
type Part = { path: string; body: Buffer; type: string; encoding: string | undefined }

/** What a browser asks for until the list stands, but for the stream of events. */
async function asked(browser: Browser, site: Site): Promise<Asked[]> {
  const all: Request[] = []
  await withPage(browser, site, site.url, async (page) => {
    page.on('request', (each) => all.push(each))
    await shown(page, site.url)
    await delay(settle_ms)
  })
  const own = all.filter((each) => each.url().startsWith(site.url) && each.resourceType() !== 'eventsource')
  return own.map((each) => {
    const { pathname, search } = new URL(each.url())
    const { 'content-type': type = '', ...given } = each.headers()
    // A page is given to whoever says that it takes one, which this list of headers leaves out.
    const headers = each.resourceType() === 'document' ? { ...given, accept: 'text/html' } : given
    return { method: each.method(), path: `${pathname}${search}`, type, body: each.postData(), headers }
  })
}

/** The same bytes as they go over the wire. What is asked for twice by one path is answered as the first time. */
async function kept(site: Site, all: Asked[]): Promise<Part[]> {
  const parts = new Map<string, Part>()
  for (const { method, path: of, type, body, headers } of all) {
    const name = of.split('?', 1)[0]!
    if (parts.has(name) || name.startsWith('/events')) continue
    const part = await new Promise<Part>((resolve, reject) => {
      const { authorization } = headers
      const sent = request(
        `${site.url}${of}`,
        {
          method,
          headers: {
            ...{ 'accept-encoding': 'br', accept: headers['accept'] ?? '*/*' },
            ...(type && { 'content-type': type }),
            ...(authorization && { authorization }),
          },
        },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () =>
            resolve({
              ...{ path: name, body: Buffer.concat(chunks), type: answer.headers['content-type'] ?? 'text/plain' },
              encoding: answer.headers['content-encoding'],
            }),
          )
        },
      )
      sent.on('error', reject)
      sent.end(body ?? undefined)
    })
    parts.set(name, part)
  }
  return [...parts.values()]
}

/** Calls are posted, which a server of files refuses: it is told to give the file then too. */
async function locationsOf(parts: Part[], folder: string): Promise<string> {
  const lines = await Promise.all(
    parts.map(async ({ path: name, body, type, encoding }, at) => {
      const file = join(folder, `part-${at}`)
      await writeFile(file, body)
      const encoded = encoding ? `add_header Content-Encoding ${encoding};` : ''
      return `location = ${name} { types { } default_type "${type}"; ${encoded} alias ${file}; }`
    }),
  )
  return `error_page 405 =200 $uri; location /events { return 204; } ${lines.join('\n')}`
}

/** Milliseconds between two frames while the list is scrolled through, of 95 among 100. */
async function scrolled(page: Page): Promise<number> {
  await rows(page).first().hover()
  await page.evaluate(`(() => {
    globalThis.frames_ms = []
    let before = performance.now()
    const look = (now) => { frames_ms.push(now - before); before = now; globalThis.looking = requestAnimationFrame(look) }
    globalThis.looking = requestAnimationFrame(look)
  })()`)
  for (let step = 0; step < 40; step++) {
    await page.mouse.wheel(0, 120)
    await delay(25)
  }
  const frames = await page.evaluate<number[]>(`(cancelAnimationFrame(looking), frames_ms)`)
  return percentile(frames, 95)
}

/** Milliseconds from the click until the list stands without a column that was shown. */
async function columnGone(page: Page): Promise<number> {
  await page.getByRole('button', { name: 'Columns' }).click()
  const box = page.getByRole('dialog').getByRole('checkbox', { name: 'Signal' })
  await box.waitFor()
  const took = page.evaluate<number>(`new Promise((resolve) => {
    const isThere = () => [...document.querySelectorAll('main th')].some((th) => th.textContent.trim() === 'Signal')
    let begun
    document.addEventListener('click', () => { begun = performance.now() }, { capture: true, once: true })
    const look = () => begun && !isThere() ? resolve(performance.now() - begun) : requestAnimationFrame(look)
    look()
  })`)
  await box.uncheck()
  return took
}
