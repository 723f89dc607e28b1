import L from 'leaflet'
import type { Place } from './coordinates.ts'

/** Five decimals are about a metre. */
export const rounded = ({ longitude, latitude }: Place): Place => ({
  longitude: Number((((longitude + 540) % 360) - 180).toFixed(5)),
  latitude: Number(latitude.toFixed(5)),
})

/** What is dragged on a map, or moved by keys. */
export function handle(map: L.Map, name: 'center' | 'edge' | 'corner'): L.Marker {
  const icon = L.divIcon({ className: `map-handle map-handle-${name}`, iconSize: [22, 22] })
  return L.marker([0, 0], { icon, draggable: true, keyboard: true, autoPan: true, zIndexOffset: 1_000 }).addTo(map)
}

const step_pixels = 10
const small_pixels = 1
/** Arrow keys, by so many pixels to the right and down; with shift by one. */
export function onArrows(marker: L.Marker, go: (right: number, down: number) => void): void {
  const steps: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  }
  marker.getElement()?.addEventListener('keydown', (event) => {
    const step = steps[event.key]
    if (!step) return
    // Otherwise the map would move under it.
    event.preventDefault()
    event.stopPropagation()
    const pixels = event.shiftKey ? small_pixels : step_pixels
    go(step[0] * pixels, step[1] * pixels)
  })
}
export const stepped = (map: L.Map, at: L.LatLng, right: number, down: number): L.LatLng =>
  map.containerPointToLatLng(map.latLngToContainerPoint(at).add([right, down]))

export function label(marker: L.Marker, attributes: Record<string, string | undefined>): void {
  const element = marker.getElement()
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element?.setAttribute(name, value)
}
