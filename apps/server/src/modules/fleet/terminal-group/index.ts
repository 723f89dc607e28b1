export { insert, move, remove, update } from './changes.ts'
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
