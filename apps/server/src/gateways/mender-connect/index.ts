export { mountMenderConnect } from './connect.ts'
