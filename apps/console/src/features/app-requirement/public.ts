export { useRequiredOn } from './required-on.ts'
