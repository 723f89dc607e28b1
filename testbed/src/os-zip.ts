export { osZip } from '@mdm/server/testing/os-versions.ts'
