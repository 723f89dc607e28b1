export { extent, list } from './map.ts'
export { get, listTrack, refresh } from './position.ts'
