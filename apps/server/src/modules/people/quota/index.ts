export { assertHolds, quotaFor, quotaOf, reservedOf } from './service.ts'
