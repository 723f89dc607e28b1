export { cellsOf, splitKey } from './cells.ts'
export { assertFields, countExport, find, listOf, pageInput, take } from './service.ts'
export { listExports } from './operations.ts'
