export { baseFiles } from './file-work.ts'
export { baseFileOperations } from './operations.ts'
