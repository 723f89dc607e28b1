import { knownZone } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import { foldedText } from './folded.ts'

/** Zones that people know, west to east: the cities they are known by in English, Vietnamese and Chinese. */
const known: readonly (readonly [zone: string, en: string, vi: string, zh: string])[] = [
  ['UTC', 'UTC', 'UTC', 'UTC'],
  ['Pacific/Honolulu', 'Honolulu', 'Honolulu', '檀香山'],
  ['America/Anchorage', 'Anchorage', 'Anchorage', '安克雷奇'],
  [
    'America/Los_Angeles',
    'Los Angeles, San Francisco, Seattle',
    'Los Angeles, San Francisco, Seattle',
    '洛杉矶、旧金山、西雅图',
  ],
  ['America/Vancouver', 'Vancouver', 'Vancouver', '温哥华'],
  ['America/Denver', 'Denver, Salt Lake City', 'Denver, Salt Lake City', '丹佛、盐湖城'],
  ['America/Phoenix', 'Phoenix', 'Phoenix', '凤凰城'],
  ['America/Chicago', 'Chicago, Dallas, Houston', 'Chicago, Dallas, Houston', '芝加哥、达拉斯、休斯敦'],
  ['America/Mexico_City', 'Mexico City, Guadalajara', 'Thành phố Mexico, Guadalajara', '墨西哥城、瓜达拉哈拉'],
  ['America/New_York', 'New York, Washington, Miami', 'New York, Washington, Miami', '纽约、华盛顿、迈阿密'],
  ['America/Toronto', 'Toronto, Montreal', 'Toronto, Montreal', '多伦多、蒙特利尔'],
  ['America/Bogota', 'Bogotá', 'Bogotá', '波哥大'],
  ['America/Lima', 'Lima', 'Lima', '利马'],
  ['America/Panama', 'Panama City', 'Thành phố Panama', '巴拿马城'],
  ['America/Caracas', 'Caracas', 'Caracas', '加拉加斯'],
  ['America/Santiago', 'Santiago', 'Santiago', '圣地亚哥'],
  ['America/Halifax', 'Halifax', 'Halifax', '哈利法克斯'],
  [
    'America/Sao_Paulo',
    'São Paulo, Rio de Janeiro, Brasília',
    'São Paulo, Rio de Janeiro, Brasília',
    '圣保罗、里约热内卢、巴西利亚',
  ],
  ['America/Argentina/Buenos_Aires', 'Buenos Aires', 'Buenos Aires', '布宜诺斯艾利斯'],
  ['America/Montevideo', 'Montevideo', 'Montevideo', '蒙得维的亚'],
  ['America/Nuuk', 'Nuuk', 'Nuuk', '努克'],
  ['Atlantic/Azores', 'Azores', 'Azores', '亚速尔群岛'],
  ['Atlantic/Cape_Verde', 'Praia', 'Praia', '普拉亚'],
  ['Europe/London', 'London, Edinburgh', 'London, Edinburgh', '伦敦、爱丁堡'],
  ['Europe/Dublin', 'Dublin', 'Dublin', '都柏林'],
  ['Europe/Lisbon', 'Lisbon', 'Lisbon', '里斯本'],
  ['Africa/Casablanca', 'Casablanca', 'Casablanca', '卡萨布兰卡'],
  ['Africa/Abidjan', 'Abidjan, Accra, Dakar', 'Abidjan, Accra, Dakar', '阿比让、阿克拉、达喀尔'],
  ['Europe/Berlin', 'Berlin, Munich', 'Berlin, Munich', '柏林、慕尼黑'],
  ['Europe/Paris', 'Paris', 'Paris', '巴黎'],
  ['Europe/Madrid', 'Madrid, Barcelona', 'Madrid, Barcelona', '马德里、巴塞罗那'],
  ['Europe/Rome', 'Rome, Milan', 'Roma, Milano', '罗马、米兰'],
  ['Europe/Amsterdam', 'Amsterdam', 'Amsterdam', '阿姆斯特丹'],
  ['Europe/Brussels', 'Brussels', 'Brussels', '布鲁塞尔'],
  ['Europe/Zurich', 'Zurich', 'Zürich', '苏黎世'],
  ['Europe/Vienna', 'Vienna', 'Viên', '维也纳'],
  ['Europe/Prague', 'Prague', 'Praha', '布拉格'],
  ['Europe/Warsaw', 'Warsaw', 'Warszawa', '华沙'],
  ['Europe/Budapest', 'Budapest', 'Budapest', '布达佩斯'],
  ['Europe/Copenhagen', 'Copenhagen', 'Copenhagen', '哥本哈根'],
  ['Europe/Oslo', 'Oslo', 'Oslo', '奥斯陆'],
  ['Europe/Stockholm', 'Stockholm', 'Stockholm', '斯德哥尔摩'],
  ['Africa/Lagos', 'Lagos, Kinshasa', 'Lagos, Kinshasa', '拉各斯、金沙萨'],
  ['Africa/Algiers', 'Algiers', 'Algiers', '阿尔及尔'],
  ['Europe/Athens', 'Athens', 'Athens', '雅典'],
  ['Europe/Helsinki', 'Helsinki', 'Helsinki', '赫尔辛基'],
  ['Europe/Kyiv', 'Kyiv', 'Kyiv', '基辅'],
  ['Africa/Cairo', 'Cairo', 'Cairo', '开罗'],
  ['Africa/Johannesburg', 'Johannesburg, Cape Town', 'Johannesburg, Cape Town', '约翰内斯堡、开普敦'],
  ['Asia/Jerusalem', 'Jerusalem, Tel Aviv', 'Jerusalem, Tel Aviv', '耶路撒冷、特拉维夫'],
  ['Europe/Istanbul', 'Istanbul, Ankara', 'Istanbul, Ankara', '伊斯坦布尔、安卡拉'],
  ['Europe/Moscow', 'Moscow, Saint Petersburg', 'Moskva, Sankt-Peterburg', '莫斯科、圣彼得堡'],
  ['Europe/Minsk', 'Minsk', 'Minsk', '明斯克'],
  ['Asia/Riyadh', 'Riyadh, Kuwait City', 'Riyadh, Thành phố Kuwait', '利雅得、科威特城'],
  ['Asia/Baghdad', 'Baghdad', 'Baghdad', '巴格达'],
  ['Africa/Nairobi', 'Nairobi, Addis Ababa', 'Nairobi, Addis Ababa', '内罗毕、亚的斯亚贝巴'],
  ['Asia/Tehran', 'Tehran', 'Tehran', '德黑兰'],
  ['Asia/Dubai', 'Dubai, Abu Dhabi', 'Dubai, Abu Dhabi', '迪拜、阿布扎比'],
  ['Asia/Baku', 'Baku', 'Baku', '巴库'],
  ['Asia/Tbilisi', 'Tbilisi', 'Tbilisi', '第比利斯'],
  ['Asia/Kabul', 'Kabul', 'Kabul', '喀布尔'],
  ['Asia/Karachi', 'Karachi, Islamabad', 'Karachi, Islamabad', '卡拉奇、伊斯兰堡'],
  ['Asia/Tashkent', 'Tashkent', 'Tashkent', '塔什干'],
  ['Asia/Almaty', 'Almaty, Astana', 'Almaty, Astana', '阿拉木图、阿斯塔纳'],
  ['Asia/Yekaterinburg', 'Yekaterinburg', 'Yekaterinburg', '叶卡捷琳堡'],
  ['Asia/Kolkata', 'Kolkata, Mumbai, Delhi', 'Kolkata, Mumbai, Delhi', '加尔各答、孟买、德里'],
  ['Asia/Colombo', 'Colombo', 'Colombo', '科伦坡'],
  ['Asia/Kathmandu', 'Kathmandu', 'Kathmandu', '加德满都'],
  ['Asia/Dhaka', 'Dhaka', 'Dhaka', '达卡'],
  ['Asia/Yangon', 'Yangon', 'Yangon', '仰光'],
  ['Asia/Ho_Chi_Minh', 'Ho Chi Minh City, Hanoi, Da Nang', 'TP. Hồ Chí Minh, Hà Nội, Đà Nẵng', '胡志明市、河内、岘港'],
  ['Asia/Bangkok', 'Bangkok', 'Băng Cốc', '曼谷'],
  ['Asia/Phnom_Penh', 'Phnom Penh', 'Phnôm Pênh', '金边'],
  ['Asia/Vientiane', 'Vientiane', 'Viêng Chăn', '万象'],
  ['Asia/Jakarta', 'Jakarta', 'Jakarta', '雅加达'],
  ['Asia/Novosibirsk', 'Novosibirsk', 'Novosibirsk', '新西伯利亚'],
  ['Asia/Shanghai', 'Shanghai, Beijing, Shenzhen', 'Thượng Hải, Bắc Kinh, Thâm Quyến', '上海、北京、深圳'],
  ['Asia/Hong_Kong', 'Hong Kong', 'Hồng Kông', '香港'],
  ['Asia/Macau', 'Macau', 'Ma Cao', '澳门'],
  ['Asia/Taipei', 'Taipei', 'Đài Bắc', '台北'],
  ['Asia/Singapore', 'Singapore', 'Singapore', '新加坡'],
  ['Asia/Kuala_Lumpur', 'Kuala Lumpur', 'Kuala Lumpur', '吉隆坡'],
  ['Asia/Manila', 'Manila', 'Manila', '马尼拉'],
  ['Australia/Perth', 'Perth', 'Perth', '珀斯'],
  ['Asia/Ulaanbaatar', 'Ulaanbaatar', 'Ulan Bator', '乌兰巴托'],
  ['Asia/Tokyo', 'Tokyo, Osaka', 'Tokyo, Osaka', '东京、大阪'],
  ['Asia/Seoul', 'Seoul, Busan', 'Seoul, Busan', '首尔、釜山'],
  ['Australia/Adelaide', 'Adelaide', 'Adelaide', '阿德莱德'],
  ['Australia/Darwin', 'Darwin', 'Darwin', '达尔文'],
  ['Australia/Sydney', 'Sydney, Melbourne, Canberra', 'Sydney, Melbourne, Canberra', '悉尼、墨尔本、堪培拉'],
  ['Australia/Brisbane', 'Brisbane', 'Brisbane', '布里斯班'],
  ['Asia/Vladivostok', 'Vladivostok', 'Vladivostok', '符拉迪沃斯托克'],
  ['Pacific/Auckland', 'Auckland, Wellington', 'Auckland, Wellington', '奥克兰、惠灵顿'],
  ['Pacific/Fiji', 'Suva', 'Suva', '苏瓦'],
]

const column = { en: 1, vi: 2, 'zh-cn': 3 } as const satisfies Record<Language, number>

export type ZoneOption = { value: string; label: string; sought: string }

/** What a person chooses a zone from: cities with their present distance from UTC. `kept` is offered whatever it is. */
export function zoneOptions(language: Language, kept?: string | null, now = Date.now()): ZoneOption[] {
  const options = known.map((row): ZoneOption => {
    const offset = offsetOf(row[0], now)
    const label = row[0] === 'UTC' ? 'UTC' : `${row[column[language]]} (${offset})`
    return { value: row[0], label, sought: foldedText([...row, offset].join(' ')) }
  })
  const zone = knownZone(kept)
  if (!zone || options.some((option) => option.value === zone)) return options
  return [...options, { value: zone, label: `${zone} (${offsetOf(zone, now)})`, sought: foldedText(zone) }]
}

/** What a zone is called where it is only read: its first city with the present distance from UTC, or its own name. */
export function zoneLabel(language: Language, zone: string, now = Date.now()): string {
  const of = knownZone(zone)
  // A zone that a newer machine stored: its name is all that can be said of it here.
  if (of === undefined) return zone
  const row = known.find(([name]) => name === of)
  if (of === 'UTC') return of
  return `${row ? row[column[language]].split(/, |、/)[0] : of} (${offsetOf(of, now)})`
}

/** By a city in any of the three languages, with or without its marks, by the zone's own name or by its offset. */
export const isZoneSought = (text: string, option: ZoneOption | undefined): boolean =>
  option?.sought.includes(foldedText(text.trim()).replaceAll(' ', '_')) === true ||
  option?.sought.includes(foldedText(text.trim())) === true

function offsetOf(timeZone: string, now: number): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(now)
  const said = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT'
  return said.replace('GMT', 'UTC')
}
