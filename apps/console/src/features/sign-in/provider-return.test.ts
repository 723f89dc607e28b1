import { expect, test } from 'vitest'
import { providerAddress, returnedIn } from './provider-return.ts'

test('an address without a word of the provider is any address', () => {
  expect(returnedIn('')).toBeNull()
  expect(returnedIn('#')).toBeNull()
  expect(returnedIn('#redirect=%2Fdevice-list')).toBeNull()
  expect(returnedIn('#exchange_token=')).toBeNull()
})

test('a token comes with where the person wanted to go', () => {
  expect(returnedIn('#exchange_token=abc&redirect=%2Fdevice-list%3Fpage%3D2')).toEqual({
    exchange_token: 'abc',
    error: null,
    redirect: '/device-list?page=2',
  })
})

test('an error is one of those that have words, and no token is taken beside one', () => {
  expect(returnedIn('#oidc_error=oidc_no_user')).toEqual({
    exchange_token: null,
    error: 'oidc_no_user',
    redirect: null,
  })
  expect(returnedIn('#oidc_error=%3Cb%3E&exchange_token=abc')).toMatchObject({
    exchange_token: null,
    error: 'oidc_failed',
  })
})

test('the way to the provider carries the page that was asked for', () => {
  expect(providerAddress('/login/oidc', null)).toBe('/login/oidc')
  expect(providerAddress('/login/oidc', '/device-list?page=2&x=a b')).toBe(
    '/login/oidc?redirect=%2Fdevice-list%3Fpage%3D2%26x%3Da+b',
  )
})
