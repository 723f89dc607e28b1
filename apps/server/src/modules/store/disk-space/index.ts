export { spaceIn } from './report.ts'
export { paging as pageReport, total as totalReport } from './report.ts'
export { get, ownSpace, setShares, updateSpace } from './service.ts'
