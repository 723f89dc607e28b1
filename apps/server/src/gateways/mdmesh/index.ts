export { mountMdmesh } from './route.ts'
