// @vitest-environment jsdom
import L from 'leaflet'
import { describe, expect, test } from 'vitest'
import { mapTypes } from '@mdm/contract'
import { fromBaidu, isInMainland, toBaidu } from './coordinates.ts'
import { boundsOf, surfaces } from './surfaces.ts'

const beijing = { longitude: 116.404, latitude: 39.915 }
const hanoi = { longitude: 105.8342, latitude: 21.0278 }
const saigon = { longitude: 106.7009, latitude: 10.7769 }
const metres = (a: typeof hanoi, b: typeof hanoi) =>
  L.latLng(a.latitude, a.longitude).distanceTo([b.latitude, b.longitude])

describe('coordinates', () => {
  test('the mainland is not the rectangle around it', () => {
    expect(
      [beijing, { longitude: 121.47, latitude: 31.23 }, { longitude: 87.6, latitude: 43.8 }].map(isInMainland),
    ).toEqual([true, true, true])
    const others = [
      hanoi,
      saigon,
      { longitude: 106.68, latitude: 20.86 },
      { longitude: 121.56, latitude: 25.04 },
      { longitude: 2.35, latitude: 48.86 },
    ]
    expect(others.map(isInMainland)).toEqual(others.map(() => false))
  })

  test('a place of the mainland is shifted as Baidu publishes it, elsewhere only by its own offset', () => {
    // Tiananmen in WGS 84 and as Baidu has it.
    const shown = toBaidu({ longitude: 116.39123, latitude: 39.90713 })
    expect(metres(shown, { longitude: 116.40387, latitude: 39.91489 })).toBeLessThan(30)
    const offset = metres(hanoi, toBaidu(hanoi))
    expect(offset).toBeGreaterThan(500)
    expect(offset).toBeLessThan(1200)
  })

  test.each([beijing, hanoi, saigon, { longitude: 121.47, latitude: 31.23 }])('%o comes back as it went', (place) => {
    expect(metres(place, fromBaidu(toBaidu(place)))).toBeLessThan(1)
  })
})

describe('surfaces', () => {
  const tileAt = (crs: L.CRS, [latitude, longitude]: [number, number], zoom: number) => {
    const { x, y } = crs.latLngToPoint(L.latLng(latitude, longitude), zoom).divideBy(256).floor()
    return { x, y, z: zoom }
  }
  const baidu = surfaces[mapTypes.baidu]
  const osm = surfaces[mapTypes.open_street_map]
  const address = (tiles: L.TileLayer, coords: object) => tiles.getTileUrl(coords as L.Coords)

  test("Baidu's published example lies on its published tile", () => {
    const tiles = baidu.tile('/{z}/{x}/{y}')
    expect(address(tiles, tileAt(baidu.crs, [39.915, 116.404], 18))).toBe('/18/50617/18851')
    expect(address(tiles, tileAt(baidu.crs, [39.915, 116.404], 16))).toBe('/16/12654/4712')
  })

  test('OpenStreetMap gets what was measured, on its own tile', () => {
    expect(osm.to(hanoi)).toMatchObject({ lat: hanoi.latitude, lng: hanoi.longitude })
    expect(tileAt(osm.crs, [hanoi.latitude, hanoi.longitude], 12)).toEqual({ x: 3252, y: 1803, z: 12 })
    expect(osm.from(L.latLng(10, 190))).toEqual({ longitude: -170, latitude: 10 })
  })

  test('both maps look at the same part of the world', () => {
    const fakeMap = (south: number, west: number, north: number, east: number) =>
      ({ getBounds: () => L.latLngBounds([south, west], [north, east]) }) as L.Map
    const [low, high] = [baidu.to({ longitude: 105, latitude: 20 }), baidu.to({ longitude: 107, latitude: 22 })]
    const seen = boundsOf(fakeMap(low.lat, low.lng, high.lat, high.lng), baidu)
    for (const [side, value] of Object.entries({ west: 105, south: 20, east: 107, north: 22 }))
      expect(seen[side as keyof typeof seen]).toBeCloseTo(value, 4)
    expect(boundsOf(fakeMap(-89, -400, 89, 400), osm)).toMatchObject({ west: -180, east: 180 })
    expect(boundsOf(fakeMap(-30, 170, 0, 190), osm)).toEqual({ west: 170, east: -170, south: -30, north: 0 })
    // At the same scale: a metre a pixel is zoom 18 there and 17.25 here.
    expect(baidu.webZoom(18)).toBe(17)
  })
})
