import { Segmented } from 'antd'
import L from 'leaflet'
import 'leaflet/dist/leaflet.css'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { mapTypes } from '@mdm/contract'
import { api, useCall } from '../core/api.ts'
import type { Bounds, Place } from './coordinates.ts'
import './map.css'
import { layPictures } from './pictures.ts'
import { boundsOf, surfaces } from './surfaces.ts'
import type { MapType, Surface } from './surfaces.ts'
import { useCircle } from './use-circle.ts'
import type { Circle } from './use-circle.ts'
import { useMapType } from './use-map-type.ts'
import { usePolygon } from './use-polygon.ts'
import type { Polygon } from './use-polygon.ts'

export type Mark = {
  key: string
  at: Place
  /** Read aloud, and shown where the pointer rests. */
  label: string
  tone: 'good' | 'quiet' | 'accent' | 'bad'
  /** Of a cluster: how many. */
  count?: number
  /** In the circle of a cluster. */
  text?: string
}
/** `zoom` is that of a web map, whatever this one counts in. */
export type View = { bounds: Bounds; zoom: number; center: Place; is_closest: boolean }
/** Where to look: at a place or around several; a new object moves the map. */
export type Target = { center: Place; zoom: number } | { bounds: Bounds }

type Props = {
  /** What the map shows, for those who do not see it. */
  label: string
  target: Target | undefined
  marks: readonly Mark[]
  /** A way, oldest place first. */
  line?: readonly Place[]
  circle?: Circle | undefined
  polygon?: Polygon | undefined
  onMark?: (mark: Mark) => void
  /** Somebody clicks beside all marks. */
  onPlace?: ((at: Place) => void) | undefined
  onView?: (view: View) => void
  /** Beside a mark. */
  popup?: { at: Place; content: ReactNode; onClose: () => void } | undefined
  children?: ReactNode
}

export function MapView(props: Props) {
  const { t } = useTranslation('map')
  const [type, choose] = useMapType()
  const tiles = useCall(api.terminalLocation.tiles, {})
  const template = type === mapTypes.baidu ? tiles.data?.baidu : tiles.data?.osm
  const [has_pictures, setPictures] = useState(true)
  const seen = useRef<Target>(undefined)
  /** Where the map of the other kind looked, until somebody wants to look elsewhere. */
  const [start, setStart] = useState<{ instead_of: Target | undefined; at: Target }>()
  const target = start && start.instead_of === props.target ? start.at : props.target
  const change = (to: MapType) => {
    if (seen.current) setStart({ instead_of: props.target, at: seen.current })
    choose(to)
  }
  const onView = (view: View) => {
    seen.current = { center: view.center, zoom: view.zoom }
    props.onView?.(view)
  }
  return (
    <div className="map-frame">
      <div className="map-tools">
        <Segmented<MapType>
          aria-label={t('map_type')}
          size="small"
          value={type}
          onChange={change}
          options={[
            { value: mapTypes.open_street_map, label: t('osm') },
            { value: mapTypes.baidu, label: t('baidu') },
          ]}
        />
        {!has_pictures && (
          <span className="map-note" role="status">
            {t(template === null ? 'pictures_off' : 'pictures_away')}
          </span>
        )}
        {props.children}
      </div>
      {/* Another kind of map counts pixels in another way: it begins anew, where the last one looked. */}
      <Canvas
        key={type}
        {...props}
        target={target}
        onView={onView}
        surface={surfaces[type]}
        template={template}
        onPictures={setPictures}
      />
    </div>
  )
}

type CanvasProps = Props & {
  surface: Surface
  /** Undefined while it is not known. */
  template: string | null | undefined
  onPictures: (has: boolean) => void
}
function Canvas(props: CanvasProps) {
  const { label, surface, template, target, marks, line, popup, onPictures } = props
  const { t } = useTranslation('map')
  const box = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<L.Map | null>(null)
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })

  useEffect(() => {
    const made = L.map(box.current!, {
      crs: surface.crs,
      minZoom: surface.min_zoom,
      maxZoom: surface.max_zoom,
      worldCopyJump: surface.crs.wrapLng !== undefined,
      zoomControl: false,
      preferCanvas: true,
      zoomAnimation: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    })
    made.attributionControl.setPrefix(false)
    L.control.zoom({ zoomInTitle: t('zoom_in'), zoomOutTitle: t('zoom_out') }).addTo(made)
    L.control.scale({ imperial: false }).addTo(made)
    made.on('moveend', () => {
      const center = surface.from(made.getCenter())
      latest.current.onView?.({
        bounds: boundsOf(made, surface),
        zoom: surface.webZoom(made.getZoom()),
        center,
        is_closest: made.getZoom() >= surface.max_zoom,
      })
    })
    made.on('click', ({ latlng }) => latest.current.onPlace?.(surface.from(latlng)))
    const resized = new ResizeObserver(() => made.invalidateSize({ animate: false }))
    resized.observe(box.current!)
    setMap(made)
    return () => {
      resized.disconnect()
      made.remove()
    }
  }, [surface, t])

  useEffect(() => {
    if (!map || template === undefined) return
    const attribution = template === null ? undefined : surface.attribution
    if (attribution) map.attributionControl.addAttribution(attribution)
    const stop = layPictures(map, surface, template, onPictures)
    return () => {
      stop()
      if (attribution) map.attributionControl.removeAttribution(attribution)
    }
  }, [map, surface, template, onPictures])

  useEffect(() => {
    if (!map || !target) return
    if ('center' in target) return void map.setView(surface.to(target.center), surface.mapZoom(target.zoom))
    const { west, south, east, north } = target.bounds
    const corners = [
      surface.to({ longitude: west, latitude: south }),
      surface.to({ longitude: east, latitude: north }),
    ] as const
    map.fitBounds(L.latLngBounds(...corners), { maxZoom: 18, padding: [40, 40] })
  }, [map, surface, target])

  useMarks(map, surface, marks, latest)
  useLine(map, surface, line)
  useCircle(map, surface, props.circle)
  usePolygon(map, surface, props.polygon)
  const content = usePopup(map, surface, popup)
  return (
    <>
      <div ref={box} className="map-view" role="region" aria-label={label} />
      {content}
    </>
  )
}

function useMarks(map: L.Map | null, surface: Surface, marks: readonly Mark[], latest: React.RefObject<Props>): void {
  const shown = useRef(new Map<string, { marker: L.Marker; look: string }>())
  useEffect(() => {
    const markers = shown.current
    return () => {
      for (const { marker } of markers.values()) marker.remove()
      markers.clear()
    }
  }, [map])
  useEffect(() => {
    if (!map) return
    const keys = new Set(marks.map(({ key }) => key))
    for (const [key, { marker }] of shown.current) {
      if (keys.has(key)) continue
      marker.remove()
      shown.current.delete(key)
    }
    for (const mark of marks) {
      const look = [mark.tone, mark.text, mark.label].join('\n')
      const known = shown.current.get(mark.key)
      const at = surface.to(mark.at)
      if (known?.look === look) {
        if (!known.marker.getLatLng().equals(at)) known.marker.setLatLng(at)
        continue
      }
      known?.marker.remove()
      const marker = L.marker(at, { icon: iconOf(mark), title: mark.label, keyboard: true }).addTo(map)
      const open = () => latest.current.onMark?.(mark)
      const element = marker.getElement()
      element?.setAttribute('aria-label', mark.label)
      // Leaflet calls it a button and gives it the focus, but leaves the keys to us.
      element?.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        open()
      })
      marker.on('click', open)
      shown.current.set(mark.key, { marker, look })
    }
  }, [map, surface, marks, latest])
}

/** A cluster grows with what is in it, slowly. */
function iconOf({ tone, count, text }: Mark): L.DivIcon {
  const size = count === undefined ? 18 : Math.min(60, 26 + Math.round(Math.log10(count) * 9))
  const html = document.createElement('span')
  html.textContent = text ?? ''
  return L.divIcon({
    className: `map-mark map-mark-${count === undefined ? 'one' : 'many'} map-mark-${tone}`,
    iconSize: [size, size],
    html,
  })
}

function useLine(map: L.Map | null, surface: Surface, line: readonly Place[] | undefined): void {
  useEffect(() => {
    if (!map || !line || line.length < 2) return
    const color = getComputedStyle(document.documentElement).getPropertyValue('--accent-solid')
    const drawn = L.polyline(
      line.map((place) => surface.to(place)),
      { color, weight: 3, opacity: 0.85, interactive: false },
    ).addTo(map)
    return () => void drawn.remove()
  }, [map, surface, line])
}

function usePopup(map: L.Map | null, surface: Surface, popup: Props['popup']): ReactNode {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const place = popup && `${popup.at.latitude} ${popup.at.longitude}`
  const close = useRef<() => void>(undefined)
  useEffect(() => {
    close.current = popup?.onClose
  })
  useEffect(() => {
    if (!map || !place) return
    const [latitude, longitude] = place.split(' ').map(Number) as [number, number]
    const content = document.createElement('div')
    const opened = L.popup({ minWidth: 220, maxWidth: 320, autoPanPadding: [24, 24], className: 'map-popup' })
      .setLatLng(surface.to({ latitude, longitude }))
      .setContent(content)
    let is_ours = true
    opened.on('remove', () => is_ours && close.current?.())
    opened.openOn(map)
    setElement(content)
    return () => {
      is_ours = false
      setElement(null)
      opened.remove()
    }
  }, [map, surface, place])
  return element && popup ? createPortal(popup.content, element) : null
}
