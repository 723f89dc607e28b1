import { setTimeout } from 'node:timers/promises'
import { test as base } from '@playwright/test'
import type { BrowserContext, Page } from '@playwright/test'
import { signedIn } from './calls.ts'
import { accountOf, demo, demoIs } from './demo-server.ts'
import type { Demo } from './demo-server.ts'
import { startOwnDemo } from './own-demo.ts'
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
type Fixtures = {
  /**
   * Each answer comes late by up to so many ms: what a walk, or the console, does too early shows. A test asks for it with
   * `test.use`, MDM_TEST_SLOWEST_MS for all of them.
   */
  slowest_ms: number
  complaints: Complaints
  /** A window of this person's own browser, signed in with the demo's token; a visitor's without a name. */
  open: (username?: string, preferences?: Preferences) => Promise<Page>
}

type Inner = { watch: (context: BrowserContext) => void; complained: string[]; ownDemo: Demo }
type OfWorker = { stage: { demoOf: (file: string) => Promise<Demo>; end: () => Promise<void> } }

/** One demo at a time. Each file has its own: what its walks leave behind and count up per hour is no other's. */
function stageOfWorker(): OfWorker['stage'] {
  let current: { file: string; own: OwnDemo } | undefined
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
        current = { file, own: await startOwnDemo() }
        demoIs(current.own.demo)
      }
      return current.own.demo
    },
    end,
  }
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
  complained: async ({ viewport: _ }, use) => use([]),
  watch: async ({ complained, slowest_ms }, use) => {
    await use((context) => {
      // No test needs the Internet: whoever looks at a map sees white pictures.
      void context.route(map_pictures, (route) => route.fulfill({ contentType: 'image/svg+xml', body: white }))
      if (slowest_ms > 0) {
        void context.route('**/*', async (route) => {
          await setTimeout(Math.random() * slowest_ms)
          await route.fallback()
        })
      }
      context.on('console', (message) => {
        if (message.type() === 'error') complained.push(`console: ${message.text()} ${message.location().url}`)
      })
      context.on('weberror', (error) => complained.push(`page: ${error.error().stack ?? error.error().message}`))
    })
  },
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
  open: async ({ browser, watch }, use) => {
    // The operator's session may still be inside a customer that an earlier test entered.
    await signedIn('operator').opsAccount.leave({})
    const contexts: BrowserContext[] = []
    await use(async (username, { language = 'en', theme } = {}) => {
      const kept = {
        'mdm.language': language,
        ...(theme && { 'mdm.theme': theme }),
        ...(username && { 'mdm.token': accountOf(username).token }),
      }
      const localStorage = Object.entries(kept).map(([name, value]) => ({ name, value }))
      const origins = [{ origin: demo().url, localStorage }]
      // A visitor has chosen nothing yet, so that the page takes the language of the browser.
      // What slides or fades loses clicks and keys on a slow machine; dialogs.e2e.ts looks at what moves.
      const still = { reducedMotion: 'reduce' } as const
      const context = await browser.newContext(username ? { ...still, storageState: { cookies: [], origins } } : still)
      contexts.push(context)
      watch(context)
      return context.newPage()
    })
    await Promise.all(contexts.map((context) => context.close()))
  },
})
