export { wakeFiles } from './file-work.ts'
