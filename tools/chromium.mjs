import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { step } from './terminal.mjs'

const installed = [
  process.env.MDM_TEST_CHROMIUM,
  // The same without windows: nobody sees them, and a test takes a tenth less of the processor.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Path of a Chromium: an existing one, else Playwright's, else Debian's package when root; undefined when none can be had. */
export async function findChromium() {
  const found = installed.find((path) => path && existsSync(path))
  if (found) return found

  const { chromium } = createRequire(import.meta.url)('@playwright/test')
  if (existsSync(chromium.executablePath())) return chromium.executablePath()
  step('No Chromium found: asking Playwright for its own')
  spawnSync('node_modules/.bin/playwright', ['install', 'chromium'], { stdio: ['ignore', 2, 2], timeout: 300_000 })
  if (existsSync(chromium.executablePath())) return chromium.executablePath()

  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    step('Installing Debian’s chromium')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 2, 2], env })
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: ['ignore', 2, 2],
      env,
    })
    if (existsSync('/usr/bin/chromium')) return '/usr/bin/chromium'
  }
  return undefined
}
