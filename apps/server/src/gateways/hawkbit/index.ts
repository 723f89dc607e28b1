export { mountHawkbit } from './route.ts'
