export { get, insert, paging, remove, update } from './apps.ts'
export { insertCategory, listCategories, removeCategory, renameCategory } from './categories.ts'
export { installed } from './installed.ts'
export { countOpenTasks, delist, enlist } from './listing.ts'
export { spaceOf } from './library.ts'
export type { Librarian } from './library.ts'
export { inspect } from './packages.ts'
export { listOffered, settingsOf } from './settings.ts'
export {
  addVersion,
  downloadVersion,
  getVersion,
  offerVersion,
  pagingVersions,
  removeVersion,
  updateVersion,
} from './versions.ts'
