export { deriveUid, removeUnused, setBase } from './service.ts'
