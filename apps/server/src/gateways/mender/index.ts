export { mountMender } from './route.ts'
