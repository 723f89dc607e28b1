export { baseFiles } from './file-work.ts'
