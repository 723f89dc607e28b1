import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { contentSecurity } from './content-security.ts'

const pictures = (env: Record<string, string>) => {
  const { contentSecurityPolicy } = contentSecurity(readConfig(env, { env_file: '/nowhere' }))
  return (contentSecurityPolicy as { directives: { imgSrc: string[] } }).directives.imgSrc
}

test('map pictures may come from the hosts that are set up, and from nowhere when they are switched off', () => {
  const own = ["'self'", 'data:', 'blob:']
  expect(pictures({})).toEqual([...own, 'https://tile.openstreetmap.org', 'https://maponline0.bdimg.com'])
  const maps = 'http://maps.example.com:8080'
  const template = `${maps}/{z}/{x}/{y}.png`
  expect(pictures({ MDM_OSM_TILES: template, MDM_BAIDU_TILES: `${maps}/bd/{z}/{x}/{y}.png` })).toEqual([...own, maps])
  expect(pictures({ MDM_OSM_TILES: 'none', MDM_BAIDU_TILES: '/tiles/{z}/{x}/{y}' })).toEqual(own)
})
