export { pushNews } from './push-news.ts'
