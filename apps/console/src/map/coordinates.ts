import gcoord from 'gcoord'

/** A place in WGS 84, as devices report it and everything but a Baidu map uses it. */
export type Place = { longitude: number; latitude: number }
export type Bounds = { west: number; south: number; east: number; north: number }

type Box = readonly [north: number, west: number, south: number, east: number]
// Maps of mainland China are shifted by law; a rectangle around it would shift Hanoi and Ho Chi Minh City as well.
const mainland: readonly Box[] = [
  [49.2204, 79.4462, 42.8899, 96.33],
  [54.1415, 109.6872, 39.3742, 135.0002],
  [42.8899, 73.1246, 29.5297, 124.143255],
  [29.5297, 82.9684, 26.7186, 97.0352],
  [29.5297, 97.0253, 20.414096, 124.367395],
  [20.414096, 107.975793, 17.871542, 111.744104],
]
const elsewhere: readonly Box[] = [
  [25.398623, 119.921265, 21.785006, 122.497559],
  [22.284, 101.8652, 20.0988, 106.665],
  [21.5422, 106.4525, 20.4878, 108.051],
  [55.8175, 109.0323, 50.3257, 119.127],
  [55.8175, 127.4568, 49.5574, 137.0227],
  [44.8922, 131.2662, 42.5692, 137.0227],
]
const isIn = ({ longitude, latitude }: Place, [north, west, south, east]: Box): boolean =>
  latitude <= north && latitude >= south && longitude >= west && longitude <= east
export const isInMainland = (place: Place): boolean =>
  mainland.some((box) => isIn(place, box)) && !elsewhere.some((box) => isIn(place, box))

const placeOf = ([longitude, latitude]: readonly number[]): Place => ({ longitude: longitude!, latitude: latitude! })

/** Where a Baidu map shows a place: shifted twice in mainland China, once everywhere else. */
export function toBaidu(place: Place): Place {
  const from = isInMainland(place) ? gcoord.WGS84 : gcoord.GCJ02
  return placeOf(gcoord.transform([place.longitude, place.latitude], from, gcoord.BD09))
}

export function fromBaidu({ longitude, latitude }: Place): Place {
  const once = placeOf(gcoord.transform([longitude, latitude], gcoord.BD09, gcoord.GCJ02))
  return isInMainland(once) ? placeOf(gcoord.transform([longitude, latitude], gcoord.BD09, gcoord.WGS84)) : once
}

/** As a person copies it: five decimals are about a metre. */
export const coordinates = ({ longitude, latitude }: Place): string => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`
