import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const known = [
  { name: 'Ga Hà Nội, 120, Đường Lê Duẩn, Hoàn Kiếm, Hà Nội, 11000, Việt Nam', lat: '21.0242837', lon: '105.8410719' },
  { name: 'Hà Nội, Việt Nam', lat: '21.0283334', lon: '105.8540410' },
  { name: '北京站, 毛家湾胡同, 东城区, 北京市, 100005, 中国', lat: '39.9021410', lon: '116.4212950' },
]
/** As Nominatim answers `format=jsonv2`: numbers of places are texts, and there is more than anybody asked for. */
const placeOf = ({ name, lat, lon }: (typeof known)[number], n: number) => ({
  place_id: 245_000_000 + n,
  licence: 'Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright',
  osm_type: 'node',
  osm_id: 4_650_000 + n,
  lat,
  lon,
  category: 'railway',
  type: 'station',
  place_rank: 30,
  importance: 0.4,
  addresstype: 'railway',
  name: name.split(',')[0],
  display_name: name,
  boundingbox: [lat, lat, lon, lon],
})
const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('đ', 'd').toLowerCase()

type Answer = (response: ServerResponse) => void
const reply = (status: number, type: string, body: string) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': type }).end(body)
/** What goes wrong with servers of others, by what is searched for. */
export const geocoderFaults: Record<string, Answer> = {
  'out of order': reply(503, 'text/html', '<h1>Service Unavailable</h1>'),
  'not json': reply(200, 'text/html', '<h1>Bandwidth exceeded</h1>'),
  'another shape': reply(200, 'application/json', '{"features": []}'),
  'off the earth': reply(200, 'application/json', '[{"display_name": "Nowhere", "lat": "95", "lon": "400"}]'),
  'too much': reply(200, 'application/json', `[${'{"display_name": "x", "lat": "1", "lon": "1"},'.repeat(10_000)}{}]`),
  elsewhere: (response) => void response.writeHead(302, { location: '/inside' }).end(),
}

export type Geocoder = {
  /** As the setting MDM_GEOCODER_URL takes it. */
  template: string
  /** What was asked, in that order. */
  asked: { q: string; language: string; agent: string }[]
  /** How often somebody followed an answer that led elsewhere. */
  redirected: number
  close: () => Promise<void>
}

/** A small server that searches for places and speaks as Nominatim does. */
export async function startGeocoder(): Promise<Geocoder> {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://geocoder')
    const q = searchParams.get('q') ?? ''
    if (pathname === '/inside') geocoder.redirected++
    if (pathname !== '/search' || searchParams.get('format') !== 'jsonv2') return reply(404, 'text/plain', '')(response)
    const language = searchParams.get('accept-language') ?? ''
    geocoder.asked.push({ q, language, agent: request.headers['user-agent'] ?? '' })
    const fault = geocoderFaults[q]
    if (fault) return fault(response)
    const found = known.filter(({ name }) => plain(name).includes(plain(q))).map(placeOf)
    return reply(200, 'application/json; charset=utf-8', JSON.stringify(found))(response)
  }
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const geocoder: Geocoder = {
    template: `http://127.0.0.1:${port}/search?format=jsonv2&limit=8&accept-language={language}&q={q}`,
    asked: [],
    redirected: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return geocoder
}
