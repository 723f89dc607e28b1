import { setTimeout } from 'node:timers/promises'
import { test as base } from '@playwright/test'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { signedIn } from './calls.ts'
import { accountOf, demo, demoIs } from './demo-server.ts'
import type { Demo } from './demo-server.ts'
import { lastingPort, startOwnDemo } from './own-demo.ts'
import type { OwnDemo } from './own-demo.ts'

export { expect } from '@playwright/test'

/** Addresses of the tile servers that are set up by default. */
export const map_pictures = /tile\.openstreetmap\.org|bdimg\.com/
const white = '<svg xmlns="http://www.w3.org/2000/svg"/>'

type Language = 'en' | 'vi' | 'zh-cn'
type Preferences = { language?: Language; theme?: 'light' | 'dark' }
/** What went wrong in the pages of a test. Anything left at its end fails it. */
type Complaints = {
  /** Takes back what matches, before and after: it was provoked on purpose. */
  forgive: (expected: RegExp) => void
  all: () => readonly string[]
}
type Slowness = {
  /**
   * Each answer comes late by up to so many ms: what a walk, or the console, does too early shows. A test asks for it with
   * `test.use`, MDM_TEST_SLOWEST_MS for all of them.
   */
  slowest_ms: number
  /** Which addresses answer late; `*` stands for any characters. */
  slow_addresses: string
}
type Fixtures = Slowness & {
  complaints: Complaints
  /** A window of this person's own browser, signed in with the demo's token; a visitor's without a name. */
  open: (username?: string, preferences?: Preferences) => Promise<Page>
}

type Inner = { complained: string[]; ownDemo: Demo }
type OfWorker = {
  stage: { demoOf: (file: string) => Promise<Demo>; end: () => Promise<void> }
  /** The browsers of persons: the first, the second ... that a test opens. */
  persons: PersonBrowser[]
}
/** It stays from test to test, emptied, so that it has the code of the console already. */
type PersonBrowser = { context: BrowserContext; complained: string[] }

/**
 * One demo at a time. Each file has its own, as what its walks leave behind and count up per hour is no other's. All of a worker have the same
 * address, by which browsers keep files.
 */
function stageOfWorker(): OfWorker['stage'] {
  let current: { file: string; own: OwnDemo } | undefined
  let port: number | undefined
  const end = async () => {
    const ended = current
    current = undefined
    demoIs(undefined)
    try {
      await ended?.own.end()
    } catch (cause) {
      throw new Error(`after the walks of ${ended?.file}`, { cause })
    }
  }
  return {
    async demoOf(file) {
      if (current?.file !== file) {
        await end()
        port ??= await lastingPort()
        current = { file, own: await startOwnDemo(process.env['E2E_SEED']!, port) }
        demoIs(current.own.demo)
      }
      return current.own.demo
    },
    end,
  }
}

const map_codes = new WeakMap<Page, number>()
/** From then on, the servers of map pictures answer this page so. */
export const answerMapsWith = (page: Page, code: number): void => void map_codes.set(page, code)

/**
 * No test needs the Internet: whoever looks at a map sees white pictures. And what is to be slow waits first. Not by a route of
 * Playwright, with which the browser would keep no file from page to page.
 */
async function interceptRequests(page: Page, { slowest_ms, slow_addresses }: Slowness): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const headers = { 'content-type': 'image/svg+xml', 'access-control-allow-origin': '*' }
  const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }))
  const body = Buffer.from(white).toString('base64')
  session.on('Fetch.requestPaused', async ({ requestId, request }) => {
    if (slowest_ms > 0) await setTimeout(Math.random() * slowest_ms)
    const responseCode = map_codes.get(page) ?? 200
    const picture = { requestId, responseCode, responseHeaders, ...(responseCode === 200 && { body }) }
    const is_map = map_pictures.test(request.url)
    const going = is_map
      ? session.send('Fetch.fulfillRequest', picture)
      : session.send('Fetch.continueRequest', { requestId })
    // The page may be gone by then.
    going.catch(() => undefined)
  })
  const maps = ['*://*.tile.openstreetmap.org/*', '*://tile.openstreetmap.org/*', '*://*.bdimg.com/*']
  const patterns = [...maps, ...(slowest_ms > 0 ? [slow_addresses] : [])]
  await session.send('Fetch.enable', { patterns: patterns.map((urlPattern) => ({ urlPattern })) })
}

async function newPersonBrowser(browser: Browser): Promise<PersonBrowser> {
  // What slides or fades loses clicks and keys on a slow machine; dialogs.e2e.ts looks at what moves.
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  const person: PersonBrowser = { context, complained: [] }
  context.on('console', (message) => {
    if (message.type() === 'error') person.complained.push(`console: ${message.text()} ${message.location().url}`)
  })
  context.on('weberror', (error) => person.complained.push(`page: ${error.error().stack ?? error.error().message}`))
  return person
}

export const test = base.extend<Fixtures & Inner, OfWorker>({
  stage: [
    async ({ browserName: _ }, use) => {
      const stage = stageOfWorker()
      await use(stage)
      await stage.end()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  ownDemo: [async ({ stage }, use, { file }) => use(await stage.demoOf(file)), { auto: true, timeout: 300_000 }],
  baseURL: async ({ ownDemo }, use) => use(ownDemo.url),
  slowest_ms: [Number(process.env['MDM_TEST_SLOWEST_MS'] ?? 0), { option: true }],
  slow_addresses: ['*', { option: true }],
  complained: async ({ viewport: _ }, use) => use([]),
  complaints: [
    async ({ complained }, use) => {
      const forgiven: RegExp[] = []
      // A page may ask again for what is refused on purpose, also after the test went on.
      const left = () => complained.filter((line) => !forgiven.some((expected) => expected.test(line)))
      await use({ forgive: (expected) => void forgiven.push(expected), all: left })
      if (left().length > 0) throw new Error(`the browser complained:\n${left().join('\n')}`)
    },
    { auto: true },
  ],
  persons: [
    async ({ browserName: _ }, use) => {
      await use([])
    },
    { scope: 'worker' },
  ],
  open: async ({ browser, complained, persons, slowest_ms, slow_addresses }, use) => {
    // The operator's session may still be inside a customer that an earlier test entered.
    await signedIn('operator').opsAccount.leave({})
    let opened = 0
    await use(async (username, { language = 'en', theme } = {}) => {
      const person = (persons[opened++] ??= await newPersonBrowser(browser))
      person.complained = complained
      const kept = {
        'mdm.language': language,
        ...(theme && { 'mdm.theme': theme }),
        ...(username && { 'mdm.token': accountOf(username).token }),
      }
      const localStorage = Object.entries(kept).map(([name, value]) => ({ name, value }))
      // A visitor has chosen nothing yet, so that the page takes the language of the browser.
      const origins = username ? [{ origin: demo().url, localStorage }] : []
      await person.context.setStorageState({ cookies: [], origins })
      const page = await person.context.newPage()
      await interceptRequests(page, { slowest_ms, slow_addresses })
      return page
    })
    await Promise.all(persons.flatMap(({ context }) => context.pages()).map((page) => page.close()))
  },
})
