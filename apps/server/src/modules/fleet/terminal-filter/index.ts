export { textArray } from './conditions.ts'
export { matcherOf } from './filter.ts'
export type { Matcher } from './filter.ts'
export {
  anySort,
  columns,
  count,
  countAll,
  counterFor,
  inSomeOrder,
  isFiltered,
  kidsMatching,
  kidsOf,
  matching,
  matchingAfter,
  sortOf,
  tablesOf,
  totalOf,
} from './find.ts'
export type { From, Sorted } from './find.ts'
export { anyOf, assertThere, chunksOf, forTargets, resolveTargets } from './targets.ts'
