import { defineConfig } from '@playwright/test'
import { patience_ms } from './tools/patience.ts'

/** Flags under which Chromium runs as root, in a container and without asking the internet anything. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page lives for seconds: it would be gone before code that is optimized for it pays.
  '--js-flags=--no-opt',
]

export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.e2e.ts',
  globalSetup: './e2e/seed-demo.ts',
  // Each has a demo of its own, and with its browser fills a core.
  workers: 2,
  retries: 0,
  // For a machine that is busy with something else too; what is there at once costs nothing.
  timeout: 480_000,
  expect: { timeout: patience_ms },
  reporter: [['list'], ['json'], ['./tools/browser-waits.mjs']],
  outputDir: 'test-results',
  use: {
    launchOptions: { executablePath: process.env['MDM_TEST_CHROMIUM'], args },
    viewport: { width: 1440, height: 900 },
    actionTimeout: patience_ms,
    locale: 'en-US',
    timezoneId: 'Asia/Ho_Chi_Minh',
    screenshot: 'only-on-failure',
  },
})
