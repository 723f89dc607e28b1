import gcoord from 'gcoord'
import L from 'leaflet'
import { mapTypes } from '@mdm/contract'
import { fromBaidu, toBaidu } from './coordinates.ts'
import type { Bounds, Place } from './coordinates.ts'

export type MapType = (typeof mapTypes)[keyof typeof mapTypes]

/** What differs between the maps: the way places become pixels, and which picture stands where. */
export type Surface = {
  crs: L.CRS
  min_zoom: number
  max_zoom: number
  attribution: string
  to(place: Place): L.LatLng
  from(at: L.LatLng): Place
  /** The zoom of a web map that shows the world at about this size. */
  webZoom(zoom: number): number
  /** The other way. */
  mapZoom(web_zoom: number): number
  tile(template: string): L.TileLayer
}

/** Millimetres do not matter, leaving the world does: the inverse of the projection has no answer out there. */
const baidu_edge = L.bounds([-20_037_726, -12_474_104], [20_037_726, 12_474_104])
const inside = (point: L.Point): [number, number] => [
  Math.min(Math.max(point.x, baidu_edge.min!.x), baidu_edge.max!.x),
  Math.min(Math.max(point.y, baidu_edge.min!.y), baidu_edge.max!.y),
]

/** Baidu's grid: metres of its own mercator, tiles counted from the middle of the world, one pixel a metre at zoom 18. */
const baidu_crs: L.CRS = L.extend({}, L.CRS.Earth, {
  code: 'BD09',
  wrapLng: undefined,
  projection: {
    project({ lng, lat }: L.LatLng) {
      const [x, y] = gcoord.transform([lng, lat], gcoord.BD09, gcoord.BD09MC)
      return L.point(x!, y!)
    },
    unproject(point: L.Point) {
      const [lng, lat] = gcoord.transform(inside(point), gcoord.BD09MC, gcoord.BD09)
      return L.latLng(lat!, lng!)
    },
    bounds: baidu_edge,
  },
  transformation: new L.Transformation(1, 0, -1, 0),
  scale: (zoom: number) => 2 ** (zoom - 18),
  zoom: (scale: number) => 18 + Math.log2(scale),
})

const latLng = ({ longitude, latitude }: Place) => L.latLng(latitude, longitude)
const placeOf = ({ lng, lat }: L.LatLng): Place => ({ longitude: lng, latitude: lat })
/** Tile servers ask who shows their pictures; the pages of this console say nothing by themselves. */
const options: L.TileLayerOptions = { referrerPolicy: 'origin' }

class BaiduTiles extends L.TileLayer {
  override getTileUrl({ x, y, z }: L.Coords): string {
    // Leaflet counts rows downwards from the equator, Baidu upwards.
    return L.Util.template((this as unknown as { _url: string })._url, { x, y: -y - 1, z })
  }
}

export const surfaces: Record<MapType, Surface> = {
  [mapTypes.open_street_map]: {
    crs: L.CRS.EPSG3857,
    min_zoom: 2,
    max_zoom: 19,
    attribution:
      '<a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noreferrer">© OpenStreetMap</a>',
    to: latLng,
    from: (at) => placeOf(at.wrap()),
    webZoom: (zoom) => zoom,
    mapZoom: (web_zoom) => web_zoom,
    tile: (template) => L.tileLayer(template, { ...options, maxNativeZoom: 19, maxZoom: 19 }),
  },
  [mapTypes.baidu]: {
    crs: baidu_crs,
    min_zoom: 4,
    max_zoom: 19,
    attribution: '© Baidu',
    to: (place) => latLng(toBaidu(place)),
    from: (at) => fromBaidu(placeOf(at)),
    webZoom: (zoom) => Math.max(0, Math.floor(zoom - 0.74)),
    mapZoom: (web_zoom) => Math.ceil(web_zoom + 0.74),
    tile: (template) => new BaiduTiles(template, { ...options, minZoom: 4, maxNativeZoom: 18, maxZoom: 19 }),
  },
}

/** What is on screen, in WGS 84; the whole world when more than that fits. */
export function boundsOf(map: L.Map, surface: Surface): Bounds {
  const shown = map.getBounds()
  const wide = shown.getEast() - shown.getWest() >= 360
  const { longitude: west, latitude: south } = surface.from(shown.getSouthWest())
  const { longitude: east, latitude: north } = surface.from(shown.getNorthEast())
  const longitude = (of: number, otherwise: number) =>
    Number.isFinite(of) ? Math.min(180, Math.max(-180, of)) : otherwise
  const latitude = (of: number, otherwise: number) =>
    Number.isFinite(of) ? Math.min(90, Math.max(-90, of)) : otherwise
  return {
    west: wide ? -180 : longitude(west, -180),
    east: wide ? 180 : longitude(east, 180),
    south: latitude(south, -90),
    north: latitude(north, 90),
  }
}
