import { expect, test } from 'vitest'
import { commonUrls, urlsOf, UrlLists } from './event.ts'

test.each([
  ['example.com', 'HTTPS://Example.com/'],
  ['http://example.com:80', 'example.com'],
  ['https://example.com:443/a', 'example.com/a'],
  ['*.Example.com', 'https://*.example.com/'],
  ['bücher.example', 'xn--bcher-kva.example'],
])('%s and %s are the same address', (one, other) => {
  expect(commonUrls(one, other)).toEqual([other])
  expect(urlsOf(`${one}, ${other}`)).toEqual([one])
  expect(UrlLists.safeParse({ whitelist: one, blacklist: other }).success).toBe(false)
})

test.each([
  ['example.com', '*.example.com'],
  ['example.com', 'example.com/shop'],
  ['example.com:8080', 'example.com'],
  ['example.com/A', 'example.com/a'],
  ['a.example', 'b.example'],
])('%s and %s are not', (one, other) => {
  expect(commonUrls(one, other)).toEqual([])
  expect(urlsOf(`${one}, ${other}`)).toEqual([one, other])
})
