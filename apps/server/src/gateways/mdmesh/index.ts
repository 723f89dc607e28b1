export { agentResets } from './resets.ts'
export { mountMdmesh } from './route.ts'
