import { expect, test } from 'vitest'
import { loginPath, safePath } from './navigation.ts'

test.each([
  ['https://evil.example/a', '/home'],
  ['//evil.example', '/home'],
  ['/\\evil.example', '/home'],
  ['/\t/evil.example', '/home'],
  ['javascript:alert(1)', '/home'],
  ['/..//evil.example', '/home'],
  ['', '/home'],
  [null, '/home'],
  ['/login?redirect=/login', '/home'],
  ['/device-list?text=a%20b#x', '/device-list?text=a%20b#x'],
])('redirect %s leads to %s', (wanted, path) => expect(safePath(wanted)).toBe(path))

test('the login address carries the path one came from', () => {
  expect(loginPath('/device-list?page=2')).toBe('/login?redirect=%2Fdevice-list%3Fpage%3D2')
  expect(loginPath('/')).toBe('/login')
})
