export { insert, list } from './service.ts'
