// @vitest-environment jsdom
import { cleanup, fireEvent, renderHook } from '@testing-library/react'
import L from 'leaflet'
import { afterEach, expect, test, vi } from 'vitest'
import { mapTypes } from '@mdm/contract'
import { surfaces } from './surfaces.ts'
import { boundsAround, metresBetween, placeAt, useCircle } from './use-circle.ts'

afterEach(cleanup)

const places = [
  { longitude: 105.8342, latitude: 21.0278 },
  { longitude: 116.404, latitude: 39.915 },
  { longitude: 179.99, latitude: -17 },
]

test.each(places)('every corner of a circle around %o is as far away as its radius', (center) => {
  for (const radius of [10, 500, 100_000])
    for (const direction of [0, 45, 90, 200, 315])
      expect(metresBetween(center, placeAt(center, radius, direction)) / radius).toBeCloseTo(1, 3)
})

test.each(places.slice(0, 2))('both maps show the same ground within a circle around %o', (center) => {
  for (const type of [mapTypes.open_street_map, mapTypes.baidu]) {
    const surface = surfaces[type]
    const corner = surface.from(surface.to(placeAt(center, 500, 90)))
    expect(Math.abs(metresBetween(center, corner) - 500)).toBeLessThan(2)
  }
})

test('a map looks at a little more than the circle', () => {
  const { west, east } = boundsAround({ center: places[0]!, radius: 1000 })
  const width = metresBetween({ longitude: west, latitude: 21.0278 }, { longitude: east, latitude: 21.0278 })
  expect(Math.round(width)).toBe(2400)
})

test('an arrow key goes on from the one before, also when nothing was rendered in between', () => {
  const map = L.map(document.createElement('div'), { center: [21, 105], zoom: 14 })
  const onChange = vi.fn<(circle: { center: { latitude: number }; radius: number }) => void>()
  const circle = { center: places[0]!, radius: 500, labels: { center: 'Middle', edge: () => 'Edge' }, onChange }
  renderHook(() => useCircle(map, surfaces[mapTypes.open_street_map], circle))
  const handle = (name: string) => map.getContainer().querySelector(`[aria-label="${name}"]`)!
  const last = () => onChange.mock.lastCall![0]
  fireEvent.keyDown(handle('Middle'), { key: 'ArrowUp' })
  const once = last().center.latitude
  fireEvent.keyDown(handle('Middle'), { key: 'ArrowUp' })
  expect(last().center.latitude - once).toBeCloseTo(once - places[0]!.latitude, 4)
  fireEvent.keyDown(handle('Edge'), { key: 'ArrowRight' })
  const wide = last().radius
  fireEvent.keyDown(handle('Edge'), { key: 'ArrowRight' })
  expect(last().radius).toBeGreaterThan(wide)
  expect(last().center.latitude).toBeGreaterThan(once)
})
