import L from 'leaflet'
import type { Surface } from './surfaces.ts'

/** So many pictures in a row that do not come mean that none will. */
const failures_max = 4
const again_ms = 60_000

/** A grid instead of pictures: positions and distances are right without them. */
class Grid extends L.GridLayer {
  override createTile(): HTMLElement {
    return L.DomUtil.create('div', 'map-grid-tile')
  }
}

/**
 * Lays pictures under the map, or the grid while there are none. `tell` hears whether pictures come. When their server
 * is away they are tried again from time to time. Answers how to end it.
 */
export function layPictures(map: L.Map, surface: Surface, template: string | null, tell: (has: boolean) => void) {
  const grid = new Grid()
  let tiles: L.TileLayer | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  const showGrid = () => {
    tell(false)
    grid.addTo(map)
  }
  const lay = (address: string) => {
    let failed = 0
    const layer = surface.tile(address)
    tiles = layer
    layer.on('tileload', () => {
      failed = 0
      grid.remove()
      tell(true)
    })
    layer.on('tileerror', () => {
      failed += 1
      if (failed !== failures_max) return
      layer.remove()
      showGrid()
      again = setTimeout(() => lay(address), again_ms)
    })
    layer.addTo(map)
  }
  if (template === null) showGrid()
  else lay(template)
  return () => {
    clearTimeout(again)
    tiles?.remove()
    grid.remove()
  }
}
