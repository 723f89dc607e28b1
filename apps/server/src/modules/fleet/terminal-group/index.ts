export { insert, insertPaths, move, remove, update } from './changes.ts'
export { readPaths } from './paths.ts'
export type { ReadPaths } from './paths.ts'
export {
  countInGroups,
  countWithoutGroup,
  exists,
  get,
  groupNames,
  list,
  listWithChild,
  managedBy,
  subtree,
  target,
} from './service.ts'
