import { expect, it } from 'vitest'
import { parseUserAgent } from './user-agent.ts'

it.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.3595.53',
    ['Edge', '142.0.3595.53', '142', 'Windows 10.0'],
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    ['Chrome', '142.0.0.0', '142', 'Linux'],
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    ['Safari', '18.1', '18', 'macOS 10.15.7'],
  ],
  ['Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', ['Firefox', '145.0', '145', 'Android 15']],
  ['curl/8.5.0', ['curl', '8.5.0', '8', null]],
  ['', [null, null, null, null]],
])('%s', (header, [name, version, major_version, os]) => {
  expect(parseUserAgent(header)).toEqual({ name, version, major_version, os })
})
