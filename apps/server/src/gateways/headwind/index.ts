export { mountHeadwind } from './route.ts'
