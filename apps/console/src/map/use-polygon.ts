import L from 'leaflet'
import { useEffect, useRef } from 'react'
import type { Place } from './coordinates.ts'
import { handle, label, onArrows, rounded, stepped } from './handles.ts'
import type { Surface } from './surfaces.ts'

/** Corners in order, the last joined to the first. With `onChange` each is dragged, moved by arrow keys and removed by Delete. */
export type Polygon = {
  points: readonly Place[]
  labels?: { corner: (number: number) => string }
  onChange?: (points: Place[]) => void
}

export function usePolygon(map: L.Map | null, surface: Surface, polygon: Polygon | undefined): void {
  const latest = useRef(polygon)
  const drawn = useRef<ReturnType<typeof draw>>(undefined)
  useEffect(() => {
    latest.current = polygon
    if (polygon) drawn.current?.show(polygon)
  })
  const count = polygon?.points.length ?? 0
  const is_edited = polygon?.onChange !== undefined
  useEffect(() => {
    if (!map || count === 0) return
    const made = draw(map, surface, is_edited ? count : 0, {
      current: () => latest.current!,
      change(points) {
        // Keys and drags are faster than React: each goes on from the one before, rendered or not.
        latest.current = { ...latest.current!, points }
        latest.current.onChange?.(points)
      },
    })
    drawn.current = made
    made.show(latest.current!)
    return () => {
      drawn.current = undefined
      made.remove()
    }
  }, [map, surface, count, is_edited])
}

type Edited = { current: () => Polygon; change: (points: Place[]) => void }

function draw(map: L.Map, surface: Surface, corners: number, { current, change }: Edited) {
  const color = getComputedStyle(document.documentElement).getPropertyValue('--accent-solid')
  const area = L.polygon([], { color, weight: 2, fillOpacity: 0.12, smoothFactor: 0, interactive: false }).addTo(map)
  let dragged: number | undefined
  const put = (at: number, place: L.LatLng) =>
    change(current().points.map((point, of) => (of === at ? rounded(surface.from(place)) : point)))
  const handles = Array.from({ length: corners }, (_, at) => {
    const marker = handle(map, 'corner')
    marker.on('dragstart', () => (dragged = at))
    marker.on('drag', () => put(at, marker.getLatLng()))
    marker.on('dragend', () => {
      dragged = undefined
      show(current())
    })
    onArrows(marker, (right, down) => put(at, stepped(map, surface.to(current().points[at]!), right, down)))
    marker.getElement()?.addEventListener('keydown', (event) => {
      if (event.key !== 'Delete' && event.key !== 'Backspace') return
      event.preventDefault()
      change(current().points.filter((_point, of) => of !== at))
    })
    return marker
  })

  function show({ points, labels }: Polygon) {
    area.setLatLngs(points.map((point) => surface.to(point)))
    for (const [at, marker] of handles.entries()) {
      const point = points[at]
      if (!point) continue
      if (at !== dragged) marker.setLatLng(surface.to(point))
      const text = labels?.corner(at + 1)
      label(marker, { 'aria-label': text, title: text, role: 'button' })
    }
  }
  return {
    show,
    remove() {
      area.remove()
      for (const marker of handles) marker.remove()
    },
  }
}
