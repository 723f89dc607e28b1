export { Windows } from './Windows.tsx'
