import L from 'leaflet'
import { useEffect, useRef } from 'react'
import type { Place } from './coordinates.ts'
import { handle, label, onArrows, rounded, stepped } from './handles.ts'
import type { Surface } from './surfaces.ts'

/** A circle on the earth. With `onChange` it is dragged by its middle and resized by its edge, by mouse and by keys. */
export type Circle = {
  center: Place
  /** Metres. */
  radius: number
  min_radius?: number
  max_radius?: number
  labels?: { center: string; edge: (radius: number) => string }
  onChange?: (circle: { center: Place; radius: number }) => void
}

const earth_metres = 6_371_000
const corners = 96
const radians = (degrees: number) => (degrees * Math.PI) / 180
const degrees = (of: number) => (of * 180) / Math.PI

/** The place so many metres away, in this direction (0 is north, 90 east), along the great circle. */
export function placeAt({ longitude, latitude }: Place, metres: number, direction: number): Place {
  const [along, towards, from] = [metres / earth_metres, radians(direction), radians(latitude)]
  const to = Math.asin(Math.sin(from) * Math.cos(along) + Math.cos(from) * Math.sin(along) * Math.cos(towards))
  const turned = Math.atan2(
    Math.sin(towards) * Math.sin(along) * Math.cos(from),
    Math.cos(along) - Math.sin(from) * Math.sin(to),
  )
  return { longitude: longitude + degrees(turned), latitude: degrees(to) }
}

/** Metres between two places, along the great circle. */
export const metresBetween = (a: Place, b: Place): number =>
  L.latLng(a.latitude, a.longitude).distanceTo([b.latitude, b.longitude])

/** Around it, with some room, for a map to look at. */
export function boundsAround({ center, radius }: Pick<Circle, 'center' | 'radius'>) {
  const [north, east, south, west] = [0, 90, 180, 270].map((direction) => placeAt(center, radius * 1.2, direction))
  return { north: north!.latitude, east: east!.longitude, south: south!.latitude, west: west!.longitude }
}

/** Of the corners as they were measured: each map shows the same ground, however it shifts its pictures. */
const outline = (surface: Surface, { center, radius }: Pick<Circle, 'center' | 'radius'>) =>
  Array.from({ length: corners }, (_, n) => surface.to(placeAt(center, radius, (n * 360) / corners)))

export function useCircle(map: L.Map | null, surface: Surface, circle: Circle | undefined): void {
  const latest = useRef(circle)
  const drawn = useRef<ReturnType<typeof draw>>(undefined)
  useEffect(() => {
    latest.current = circle
    if (circle) drawn.current?.show(circle)
  })
  const is_there = circle !== undefined
  const is_edited = circle?.onChange !== undefined
  useEffect(() => {
    if (!map || !is_there) return
    const made = draw(map, surface, is_edited, {
      current: () => latest.current!,
      change(next) {
        // Keys and drags are faster than React: each goes on from the one before, rendered or not.
        latest.current = { ...latest.current!, ...next }
        latest.current.onChange?.(next)
      },
    })
    drawn.current = made
    made.show(latest.current!)
    return () => {
      drawn.current = undefined
      made.remove()
    }
  }, [map, surface, is_there, is_edited])
}

type Moved = Pick<Circle, 'center' | 'radius'>
type Edited = { current: () => Circle; change: (next: Moved) => void }

function draw(map: L.Map, surface: Surface, is_edited: boolean, { current, change }: Edited) {
  const color = getComputedStyle(document.documentElement).getPropertyValue('--accent-solid')
  const area = L.polygon([], { color, weight: 2, fillOpacity: 0.12, smoothFactor: 0, interactive: false }).addTo(map)
  const handles = is_edited ? { center: handle(map, 'center'), edge: handle(map, 'edge') } : undefined
  let is_dragging = false

  const bounded = (radius: number) => {
    const { min_radius = 1, max_radius = Infinity } = current()
    return Math.round(Math.min(Math.max(radius, min_radius), max_radius))
  }
  const moveTo = (at: L.LatLng) => change({ center: rounded(surface.from(at)), radius: current().radius })
  const resizeTo = (radius: number) => change({ center: current().center, radius: bounded(radius) })

  function show(circle: Circle) {
    area.setLatLngs(outline(surface, circle))
    if (!handles) return
    if (!is_dragging) {
      handles.center.setLatLng(surface.to(circle.center))
      handles.edge.setLatLng(surface.to(placeAt(circle.center, circle.radius, 90)))
    }
    const { labels, radius, min_radius = 1, max_radius } = circle
    label(handles.center, { 'aria-label': labels?.center, title: labels?.center, role: 'button' })
    label(handles.edge, {
      'aria-label': labels?.edge(radius),
      title: labels?.edge(radius),
      role: 'slider',
      'aria-valuenow': String(radius),
      'aria-valuemin': String(min_radius),
      'aria-valuemax': max_radius === undefined ? undefined : String(max_radius),
    })
  }

  if (handles) {
    for (const marker of Object.values(handles)) {
      marker.on('dragstart', () => (is_dragging = true))
      marker.on('dragend', () => {
        is_dragging = false
        show(current())
      })
    }
    handles.center.on('drag', () => moveTo(handles.center.getLatLng()))
    // While the middle is dragged the edge comes along.
    handles.center.on('drag', () => handles.edge.setLatLng(surface.to(placeAt(current().center, current().radius, 90))))
    handles.edge.on('drag', () => resizeTo(metresBetween(current().center, surface.from(handles.edge.getLatLng()))))
    onArrows(handles.center, (right, down) => moveTo(stepped(map, surface.to(current().center), right, down)))
    onArrows(handles.edge, (right, down) => {
      const { radius } = current()
      const by = (right - down) * metresOfPixel(map, surface, current().center)
      resizeTo(radius + (Math.abs(by) < 1 ? Math.sign(by) : by))
    })
  }
  return {
    show,
    remove() {
      area.remove()
      for (const marker of Object.values(handles ?? {})) marker.remove()
    },
  }
}

function metresOfPixel(map: L.Map, surface: Surface, center: Place): number {
  const at = surface.to(center)
  return metresBetween(surface.from(at), surface.from(stepped(map, at, 10, 0))) / 10
}
