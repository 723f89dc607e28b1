export { deviceNews } from './device-news.ts'
export { deviceSilences } from './silences.ts'
